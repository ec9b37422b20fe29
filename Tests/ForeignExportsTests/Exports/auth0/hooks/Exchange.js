module.exports = (client, scope, audience, context, cb) => cb(null);
