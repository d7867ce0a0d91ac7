// Finds files that usually contain secrets. The file check, the SDK, the command line and the Action share these rules.

/** Matches the names of templates, which contain no real values. */
const EXAMPLES = /(^|\.)(example|sample|template|dist)(\.|$)/i;
const SECRET_NAMES = [
	/^\.env(\..*)?$/i,
	/^[\w.-]+\.env$/i,
	/^\.envrc$/i,
	/\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/i,
	/^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/i,
	/^\.(npmrc|netrc|pypirc|git-credentials|htpasswd|pgpass|dev\.vars(\..*)?)$/i,
	/^_netrc$/i,
	/^credentials(\.(json|csv|ya?ml|toml|ini))?$/i,
	/^service[-_]?account[\w.-]*\.json$/i,
	/^secrets?\.(ya?ml|json|toml|env|ini)$/i,
	/\.tfstate(\.backup)?$/i,
	/\.tfvars(\.json)?$/i,
	/^client_secret[\w.-]*\.json$/i,
	/^application_default_credentials\.json$/i,
	/^[\w.-]*firebase-adminsdk[\w.-]*\.json$/i,
	/^kubeconfig(\.ya?ml)?$/i,
	/^\.(vault-token|s3cfg|boto|my\.cnf|mylogin\.cnf)$/i,
	/\.ovpn$/i,
];
const SECRET_FOLDERS = /(^|\/)\.(ssh|aws|gnupg|azure|kube)\//i;
const SECRET_PATHS = /(^|\/)\.docker\/config\.json$/i;

/** Returns true if a file with this relative path, separated by `/`, usually contains a secret. */
export function isSecretPath(path: string): boolean {
	const name = path.slice(path.lastIndexOf("/") + 1);
	if (SECRET_FOLDERS.test(path) || SECRET_PATHS.test(path)) return true;
	return !EXAMPLES.test(name) && SECRET_NAMES.some((pattern) => pattern.test(name));
}

/** Patterns of credentials. They do not match explanations such as `svc_sk_...`. */
const TOKENS = [
	"svc_(?:sk_[0-9a-f]{64}|op_[0-9a-f]{32}|admin_[0-9a-f]{64})",
	"AKIA[0-9A-Z]{16}",
	"gh[pousr]_[A-Za-z0-9]{36}",
	"github_pat_[A-Za-z0-9_]{60}",
	"glpat-[A-Za-z0-9_-]{20}",
	"npm_[A-Za-z0-9]{36}",
	"pypi-AgE[A-Za-z0-9_-]{50}",
	"xox[abprs]-[A-Za-z0-9-]{20}",
	"sk_live_[A-Za-z0-9]{24}",
	"sk-(?:ant|proj)-[A-Za-z0-9_-]{20}",
	"AIza[A-Za-z0-9_-]{35}",
];
const SECRET_TEXT = new RegExp(`(?:^|[^\\w])(?:${TOKENS.join("|")})|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----`);

/** Returns true if text contains a credential of this platform or of a well-known service, or a private key. */
export function containsSecret(text: string): boolean {
	return SECRET_TEXT.test(text);
}

/** The rules as data, from which scripts/openapi/python-secrets.ts generates those of the Python package. */
export const SECRET_RULES = {
	examples: EXAMPLES,
	names: SECRET_NAMES,
	folders: SECRET_FOLDERS,
	paths: SECRET_PATHS,
	text: SECRET_TEXT,
} as const;
