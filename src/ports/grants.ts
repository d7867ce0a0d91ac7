// The plain data that the Worker and the Durable Object of a holder exchange. A holder is a person, or an agent that acts with a key.
// Each device request has its own object of the same class.
import type { Scope } from "../domain/actor.ts";

/** The client, as the library stores it. */
export interface StoredClient {
	readonly clientId: string;
	readonly redirectUris: string[];
	readonly tokenEndpointAuthMethod: string;
	readonly clientName?: string;
	readonly clientUri?: string;
	readonly grantTypes?: string[];
	readonly responseTypes?: string[];
	readonly clientSecret?: string;
}

/** The request, already checked by the library. */
export interface CheckedRequest {
	readonly responseType: string;
	readonly clientId: string;
	readonly redirectUri: string;
	readonly scope: string[];
	readonly state: string;
	readonly codeChallenge?: string;
	readonly codeChallengeMethod?: string;
	readonly resource?: string;
	readonly issuer?: string;
}

export interface GrantCall {
	/** The issuer's origin. */
	readonly baseUrl: string;
	readonly client: StoredClient;
	/** When the call is made, in milliseconds since the epoch. */
	readonly now: number;
}

export interface Approval extends GrantCall {
	readonly holder: string;
	readonly request: CheckedRequest;
	readonly scope: Scope;
}

/** A request to the token endpoint. */
export interface TokenCall extends GrantCall {
	/** The grant's key. The code or token begins with it. */
	readonly key: string;
	/** The `Authorization` header, if the client authenticates with it. */
	readonly authorization: string | null;
	/** The form as received. */
	readonly form: string;
}

/** The response for the client. */
export interface TokenReply {
	readonly status: number;
	readonly body: string;
	readonly challenge: string | null;
	/** A new token, which the directory must store before the client receives it. Null if none was issued. */
	readonly issued: { readonly hash: string; readonly scope: Scope; readonly expiresAt: number } | null;
	/** The SHA-256 of access tokens that were revoked. */
	readonly revoked: readonly string[];
	/** The object no longer has this grant. */
	readonly hasEnded: boolean;
	/** The grant's key. */
	readonly key: string;
}

export interface DeviceRequest {
	readonly client: StoredClient;
	readonly scope: Scope;
	readonly expiresAt: number;
}

/** The states of a device request. */
export type DeviceState = "pending" | "approved" | "denied" | "used";

/** The results of a device's poll. */
export type PollResult =
	| { readonly state: "authorization_pending" | "slow_down" | "access_denied" | "expired_token" | "invalid_grant" }
	| { readonly state: "approved"; readonly holder: string; readonly scope: Scope; readonly client: StoredClient };

/** How the Worker calls these objects. Each object handles one call at a time. */
export interface GrantsPort {
	/** Creates a grant and its code. Returns where the browser goes next, and the grant's key. */
	approve(approval: Approval): Promise<{ readonly redirectTo: string; readonly key: string }>;
	/** Exchanges a code or a refresh token, or revokes a token. */
	callToken(call: TokenCall): Promise<TokenReply>;
	/** Creates a grant and its first tokens without a code, for an approved device. */
	issue(issue: GrantCall & { readonly holder: string; readonly scope: Scope }): Promise<TokenReply>;
	/** Forgets grants. Their refresh tokens end. */
	end(keys: readonly string[]): Promise<void>;
	openRequest(request: DeviceRequest): Promise<void>;
	/** Reads a device request. Returns null if it is unknown or over. */
	readRequest(now: number): Promise<(DeviceRequest & { readonly state: DeviceState }) | null>;
	/** Decides a pending request once. Returns false if it was decided before or is over. */
	decideRequest(decision: { readonly holder: string | null; readonly now: number }): Promise<boolean>;
	/** Claims an approval, once. */
	poll(poll: { readonly clientId: string; readonly now: number }): Promise<PollResult>;
}
