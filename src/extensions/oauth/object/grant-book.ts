// Runs in the object of a holder. Between reading a code and marking it as used, the library awaits more than storage, so another call
// could use the same code. A chain of promises therefore lets in only one call at a time.
import type { Scope } from "../../../domain/actor.ts";
import { randomBytes, sha256Hex } from "../../../platform/crypto.ts";
import type { Approval, GrantCall, StoredClient, TokenCall, TokenReply } from "../../../ports/grants.ts";
import { issuerOf } from "../library.ts";
import { ACCESS_TOKEN_TTL_SECONDS, CODE_TTL_MS, keyOfCode, readScope, TOKEN_PATH, wordsOf } from "../rules.ts";
import { type ItemStore, LibraryStore } from "./item-store.ts";

/** The relevant fields of the library's grants. */
interface StoredGrant {
	readonly metadata: { readonly approvedAt: number };
	readonly authCodeId?: string;
	/** The library deletes this when the code is used. */
	readonly authCodeWrappedKey?: string;
}

/** The code of a device's grant never leaves the object, so its redirect URI is never used. */
const DEVICE_REDIRECT = "https://device.invalid/";
const VERIFIER_BYTES = 32;

/** Creates the grants and tokens of one holder. */
export class GrantBook {
	readonly #items: ItemStore;
	#last: Promise<unknown> = Promise.resolve();

	constructor(items: ItemStore) {
		this.#items = items;
	}

	approve(approval: Approval): Promise<{ redirectTo: string; key: string }> {
		return this.#oneAtATime(() => this.#approve(approval));
	}

	callToken(call: TokenCall): Promise<TokenReply> {
		return this.#oneAtATime(() => this.#callToken(call));
	}

	issue(issue: GrantCall & { readonly holder: string; readonly scope: Scope }): Promise<TokenReply> {
		return this.#oneAtATime(() => this.#issue(issue));
	}

	end(keys: readonly string[]): Promise<void> {
		return this.#oneAtATime(async () => {
			for (const key of keys) this.#forget(key);
		});
	}

	/** Runs the calls one after another. A failed call does not stop those after it. */
	#oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
		const ownTurn = this.#last.then(work, work);
		this.#last = ownTurn.catch(() => undefined);
		return ownTurn;
	}

	async #approve({ baseUrl, holder, client, request, scope, now }: Approval) {
		const store = new LibraryStore(this.#items, client);
		const api = (await issuerOf(baseUrl)).getOAuthApi({ OAUTH_KV: store });
		const { redirectTo } = await api.completeAuthorization({
			...{ request: { ...request }, userId: holder, scope: wordsOf(scope), metadata: { approvedAt: now }, props: null },
			// The directory replaces earlier grants, in the commit that stores the new one.
			revokeExistingGrants: false,
		});
		const key = keyOfCode(new URL(redirectTo).searchParams.get("code") ?? "");
		if (key === null) throw new Error("The OAuth library returned a code in an unknown format.");
		return { redirectTo, key };
	}

	async #callToken(call: TokenCall): Promise<TokenReply> {
		const form = new URLSearchParams(call.form);
		const fault = await this.#findEnd(call, form);
		if (fault !== null) return { ...refused(call.key, fault), hasEnded: this.#items.read(`grant:${call.key}`) === null };
		return this.#callLibrary(call, form);
	}

	/** Ends the grant and returns why, if the call shows that it must end although the library would accept it. Otherwise returns null. */
	async #findEnd({ key, now }: TokenCall, form: URLSearchParams): Promise<string | null> {
		const grant = this.#items.read<StoredGrant>(`grant:${key}`);
		const refreshToken = form.get("refresh_token");
		if (refreshToken !== null && this.#items.isSpent(await sha256Hex(refreshToken))) {
			if (grant !== null) this.#endGrant(key);
			return "This refresh token was already used, so the grant has ended. Connect the program again.";
		}
		const isCode = form.get("grant_type") === "authorization_code";
		if (!isCode || grant?.authCodeWrappedKey === undefined || now - grant.metadata.approvedAt <= CODE_TTL_MS) return null;
		this.#endGrant(key);
		return "The code has expired. Connect the program again.";
	}

	async #callLibrary({ baseUrl, client, key, authorization, now }: TokenCall, form: URLSearchParams): Promise<TokenReply> {
		const store = new LibraryStore(this.#items, client);
		const headers = new Headers({ "Content-Type": "application/x-www-form-urlencoded" });
		if (authorization !== null) headers.set("Authorization", authorization);
		const request = new Request(baseUrl + TOKEN_PATH, { method: "POST", headers, body: form.toString() });
		const response = await (await issuerOf(baseUrl)).fetch(request, { OAUTH_KV: store }, {});
		const [token] = store.issued;
		return {
			status: response.status,
			body: await response.text(),
			challenge: response.headers.get("WWW-Authenticate"),
			issued:
				token === undefined ? null : { hash: token.hash, scope: readScope(token.words), expiresAt: now + ACCESS_TOKEN_TTL_SECONDS * 1_000 },
			revoked: store.revoked,
			hasEnded: this.#items.read(`grant:${key}`) === null,
			key,
		};
	}

	/** Creates a code and exchanges it at once, so that a device gets its tokens in the same way as other clients. */
	async #issue({ holder, scope, ...call }: GrantCall & { readonly holder: string; readonly scope: Scope }): Promise<TokenReply> {
		const client: StoredClient = {
			...{ clientId: call.client.clientId, redirectUris: [DEVICE_REDIRECT], tokenEndpointAuthMethod: "none" },
			...{ grantTypes: ["authorization_code"], responseTypes: ["code"] },
		};
		const verifier = randomBytes(VERIFIER_BYTES).toBase64({ alphabet: "base64url", omitPadding: true });
		const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
		const codeChallenge = new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true });
		const request = {
			...{ responseType: "code", clientId: client.clientId, redirectUri: DEVICE_REDIRECT, scope: wordsOf(scope), state: "" },
			...{ codeChallenge, codeChallengeMethod: "S256", resource: call.baseUrl, issuer: call.baseUrl },
		};
		const { redirectTo, key } = await this.#approve({ ...call, client, holder, request, scope });
		const form = new URLSearchParams({
			...{ grant_type: "authorization_code", client_id: client.clientId, redirect_uri: DEVICE_REDIRECT, code_verifier: verifier },
			code: new URL(redirectTo).searchParams.get("code") ?? "",
		});
		return this.#callLibrary({ ...call, client, key, authorization: null, form: "" }, form);
	}

	#endGrant(key: string): void {
		this.#forget(key);
		this.#items.noteEnd(key);
	}

	#forget(key: string): void {
		this.#items.remove(`grant:${key}`);
		for (const { name } of this.#items.list(`token:${key}:`)) this.#items.remove(name);
	}
}

function refused(key: string, description: string): Omit<TokenReply, "hasEnded"> {
	const body = JSON.stringify({ error: "invalid_grant", error_description: description });
	return { status: 400, body, challenge: null, issued: null, revoked: [], key };
}
