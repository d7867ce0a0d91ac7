// Files that are left out of a submission by their name, because they usually hold secrets.

const EXAMPLES = /^\.env\.(example|sample|template|dist)$/i;
const SECRET_NAMES = [
	/^\.env(\..*)?$/i,
	/\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/i,
	/^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/i,
	/^\.(npmrc|netrc|pypirc|git-credentials|htpasswd|pgpass)$/i,
	/^_netrc$/i,
];
const SECRET_FOLDERS = /(^|\/)\.(ssh|aws|gnupg|azure|kube)\//i;

/** Whether a path, relative with `/`, is usually a secret. */
export function isSecretPath(path: string): boolean {
	const name = path.slice(path.lastIndexOf("/") + 1);
	if (EXAMPLES.test(name)) return false;
	return SECRET_FOLDERS.test(path) || SECRET_NAMES.some((pattern) => pattern.test(name));
}
