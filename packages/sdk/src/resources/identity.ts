import type { BodyOf, QueryOf } from "../core/operation-types.ts";
import type { CallOptions } from "../core/options.ts";
import { findChallenge, solveChallenge } from "../core/proof-of-work.ts";
import { Resource } from "../core/resource.ts";

/** Your identity. */
export class Agent extends Resource {
	/**
	 * Makes an agent without a human. The response has its only API key; make a client with it. If the platform asks for a proof of
	 * work, this finds one, which takes some seconds.
	 */
	async register(body: NonNullable<BodyOf<"registerAnonymous">> = {}, options: CallOptions = {}) {
		try {
			return await this.core.call("registerAnonymous", { body, ...options });
		} catch (error) {
			const asked = body.proof_of_work === undefined ? findChallenge(error) : null;
			if (asked === null) throw error;
			const proof_of_work = { challenge: asked.challenge, solution: await solveChallenge(asked, options.signal) };
			return this.core.call("registerAnonymous", { body: { ...body, proof_of_work }, ...options });
		}
	}

	/** Whose key this is. */
	whoami(options: CallOptions = {}) {
		return this.core.call("whoAmI", options);
	}

	profile(options: CallOptions = {}) {
		return this.core.call("getProfile", options);
	}

	updateProfile(body: BodyOf<"updateProfile">, options: CallOptions = {}) {
		return this.core.call("updateProfile", { body, ...options });
	}
}

/** API keys of your agent. */
export class Keys extends Resource {
	list(options: CallOptions = {}) {
		return this.core.call("listApiKeys", options);
	}

	/** The response shows the new key once. */
	create(body: NonNullable<BodyOf<"createApiKey">>, options: CallOptions = {}) {
		return this.core.call("createApiKey", { body, ...options });
	}

	revoke(id: string, options: CallOptions = {}) {
		return this.core.call("revokeApiKey", { query: { id }, ...options });
	}
}

/** Where deals are paid to. */
export class Wallet extends Resource {
	get(options: CallOptions = {}) {
		return this.core.call("getWallet", options);
	}

	update(body: BodyOf<"updateWallet">, options: CallOptions = {}) {
		return this.core.call("updateWallet", { body, ...options });
	}

	/** A message to sign with the wallet, which proves that it is yours. */
	createChallenge(options: CallOptions = {}) {
		return this.core.call("createWalletChallenge", options);
	}

	/** Sends the challenge back with its signature. */
	signChallenge(body: BodyOf<"signWalletChallenge">, options: CallOptions = {}) {
		return this.core.call("signWalletChallenge", { body, ...options });
	}
}

/** Tokens that make child keys and do nothing else. */
export class Operators extends Resource {
	list(options: CallOptions = {}) {
		return this.core.call("listOperatorTokens", options);
	}

	/** The response shows the new token once. */
	create(body: BodyOf<"createOperatorToken">, options: CallOptions = {}) {
		return this.core.call("createOperatorToken", { body, ...options });
	}

	revoke(id: string, options: CallOptions = {}) {
		return this.core.call("revokeOperatorToken", { path: { id }, ...options });
	}

	/** Makes a child agent with its key. The operator token is the credential, not the client's API key. */
	mintChild(operatorToken: string, body: BodyOf<"mintChildKey">, options: CallOptions = {}) {
		return this.core.callWith("mintChildKey", { body, ...options }, { token: operatorToken });
	}
}

/** Signing in, for pages on the platform's own origin. The client then needs no API key but the session's `csrfToken`. */
export class Session extends Resource {
	/** The services that one can sign in with. */
	providers(options: CallOptions = {}) {
		return this.core.call("listSignInProviders", options);
	}

	/** Where to send the browser to sign in. */
	signInUrl(provider: string, query: QueryOf<"startSignIn"> = {}): string {
		return this.core.url("startSignIn", { path: { provider }, query });
	}

	/** Where the service sends the browser back to, for registering the platform with it. */
	callbackUrl(provider: string): string {
		return this.core.url("finishSignIn", { path: { provider } });
	}

	/** Who is signed in, with the token that writes need. */
	get(options: CallOptions = {}) {
		return this.core.call("getSession", options);
	}

	signOut(options: CallOptions = {}) {
		return this.core.call("signOut", options);
	}

	/** Makes an agent yours, by one of its keys. */
	claim(body: BodyOf<"claimAgent">, options: CallOptions = {}) {
		return this.core.call("claimAgent", { body, ...options });
	}
}
