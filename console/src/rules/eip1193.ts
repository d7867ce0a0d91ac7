// Asks a browser wallet for accounts and signatures, and explains its errors.

/** An injected wallet, as in EIP-1193. */
export interface InjectedWallet {
	request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

/** Returns the wallet in `window.ethereum`. Returns null if there is none. */
export function findInjectedWallet(scope: object): InjectedWallet | null {
	const found: unknown = "ethereum" in scope ? scope.ethereum : null;
	return isWallet(found) ? found : null;
}

function isWallet(value: unknown): value is InjectedWallet {
	return typeof value === "object" && value !== null && "request" in value && typeof value.request === "function";
}

const USER_REJECTED = 4001;
const ALREADY_ASKED = -32_002;

/** Explains a wallet's error in plain words. */
export function walletError(error: unknown): Error {
	const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
	if (code === USER_REJECTED) return new Error("You declined the request in your wallet. Nothing has changed.");
	if (code === ALREADY_ASKED) return new Error("The wallet is already waiting for you. Open it and finish the pending request.");
	return error instanceof Error ? error : new Error("The wallet returned an error.");
}

/** Returns true if two addresses are the same account. The case of their letters is only a checksum. */
export function isSameAccount(a: string | null, b: string | null): boolean {
	return a !== null && b !== null && a.toLowerCase() === b.toLowerCase();
}
