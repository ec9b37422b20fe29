exports.onExecutePostLogin = async () => {};
