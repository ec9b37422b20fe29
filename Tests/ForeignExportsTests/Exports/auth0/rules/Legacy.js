function (user, context, callback) { callback(null, user, context); }
