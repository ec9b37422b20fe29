/** Waiting, with limits: of time, of signals, and of the length of answers. */

/** Bytes of an answer. */
export const LARGEST = 4 << 20;
/** Timers that are longer end at once. */
const LONGEST_TIMER = 0x7fffffff;

/** Resolves after a time, or fails when the signal is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, Math.min(Math.max(0, milliseconds), LONGEST_TIMER));
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** The text of an answer, whose length the server does not get to choose. */
export async function textOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for (;;) {
    const { done, value } = await reader?.read() ?? { done: true };
    if (done || value === undefined) return text + decoder.decode();
    size += value.length;
    if (size > LARGEST) {
      await reader?.cancel();
      throw new Error("the answer is too large");
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** The result of a step that is aborted with a signal, or after a time. */
export async function within<Result>(
  milliseconds: number, signal: AbortSignal | undefined, step: (limit: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const abort = (): void => limit.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(() => limit.abort(new Error("no answer in time")), milliseconds);
  try {
    return await step(limit.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** The reason of a failure; `fetch` names it as the cause. */
export function because(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error };
  return cause?.message ?? message;
}
