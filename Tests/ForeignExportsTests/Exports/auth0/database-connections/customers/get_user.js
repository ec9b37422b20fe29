function getByEmail(email, callback) { callback(null); }
