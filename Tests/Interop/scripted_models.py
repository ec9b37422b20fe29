"""Models of the agents' frameworks that say what a script says: calls of tools, then the last words.

A script is a list of answers. An answer is a text, or a list of calls `(tool, arguments, id)`.
"""

import json

from agents import Model, ModelResponse, Usage
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from pydantic_ai.messages import ModelResponse as PydanticResponse
from pydantic_ai.messages import TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

WORDS = "I pay the bill now"


class LangChainModel(FakeMessagesListChatModel):
    def bind_tools(self, tools, **options):
        return self


def langchain_model(*script):
    return LangChainModel(responses=[
        AIMessage(answer) if isinstance(answer, str) else AIMessage(
            WORDS, tool_calls=[{"name": name, "args": arguments, "id": call} for name, arguments, call in answer])
        for answer in script])


class OpenAIModel(Model):
    def __init__(self, *script):
        self.script, self.heard = list(script), []

    async def get_response(self, system_instructions, input, *_, **__):
        self.heard.append(input)
        answer = self.script.pop(0)
        if isinstance(answer, str):
            output = [ResponseOutputMessage(
                id="message", role="assistant", status="completed", type="message",
                content=[ResponseOutputText(text=answer, type="output_text", annotations=[])])]
        else:
            output = [ResponseFunctionToolCall(
                type="function_call", name=name, arguments=json.dumps(arguments), call_id=call, id=call)
                for name, arguments, call in answer]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


def pydantic_model(*script):
    rest = list(script)

    def answer(messages, info):
        said = rest.pop(0)
        if isinstance(said, str):
            return PydanticResponse(parts=[TextPart(said)])
        return PydanticResponse(parts=[
            TextPart(WORDS), *(ToolCallPart(name, arguments, tool_call_id=call) for name, arguments, call in said)])

    return FunctionModel(answer)


def llama_model(*script):
    rest = list(script)

    def answer(messages, **_):
        said = rest.pop(0)
        if isinstance(said, str):
            return ChatMessage(role="assistant", content=said)
        return ChatMessage(role="assistant", blocks=[TextBlock(text=WORDS), *(
            ToolCallBlock(tool_call_id=call, tool_name=name, tool_kwargs=arguments) for name, arguments, call in said)])

    return MockFunctionCallingLLM(response_generator=answer, is_chat_model=True)
