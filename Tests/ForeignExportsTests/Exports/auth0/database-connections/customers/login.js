function login(email, password, callback) { callback(null); }
