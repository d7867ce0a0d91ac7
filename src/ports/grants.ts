// The plain data that the Worker and a `Grants` object exchange. Each holder of grants has such an object, and each device request has one.
// A holder is a person, or an agent that acts with a key.
import type { Scope } from "../domain/actor.ts";

/** A client in the format in which the OAuth library stores it. */
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

/** An authorization request that the OAuth library has already checked. */
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
	/** The platform's origin, which is the issuer of tokens. */
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
	/** The key of the grant, with which the code or token begins. */
	readonly key: string;
	/** The `Authorization` header, if the client authenticates with it. */
	readonly authorization: string | null;
	/** The body of the request, as it was received. */
	readonly form: string;
}

/** The response to the client, and what the directory must record before it is sent. */
export interface TokenReply {
	readonly status: number;
	readonly body: string;
	readonly challenge: string | null;
	/** A new access token, which the directory must store before the client receives it. Null if none was issued. */
	readonly issued: { readonly hash: string; readonly scope: Scope; readonly expiresAt: number } | null;
	/** The SHA-256 of each access token that was revoked. */
	readonly revoked: readonly string[];
	/** True if the object no longer has the grant. */
	readonly hasEnded: boolean;
	/** The key of the grant. */
	readonly key: string;
}

export interface DeviceRequest {
	readonly client: StoredClient;
	readonly scope: Scope;
	readonly expiresAt: number;
}

export type DeviceState = "pending" | "approved" | "denied" | "used";

/** What a device gets when it asks whether its request was approved. */
export type PollResult =
	| { readonly state: "authorization_pending" | "slow_down" | "access_denied" | "expired_token" | "invalid_grant" }
	| { readonly state: "approved"; readonly holder: string; readonly scope: Scope; readonly client: StoredClient };

/** The methods of a `Grants` object that the Worker calls. */
export interface GrantsPort {
	/** Creates a grant and its code. Returns the URL to which the browser is sent next, and the grant's key. */
	approve(approval: Approval): Promise<{ readonly redirectTo: string; readonly key: string }>;
	/** Exchanges a code or a refresh token, or revokes a token. */
	callToken(call: TokenCall): Promise<TokenReply>;
	/** Creates a grant and its first tokens for an approved device, which has no code to exchange. */
	issue(issue: GrantCall & { readonly holder: string; readonly scope: Scope }): Promise<TokenReply>;
	/** Deletes grants, so that their codes and refresh tokens stop working. */
	end(keys: readonly string[]): Promise<void>;
	openRequest(request: DeviceRequest): Promise<void>;
	/** Reads a device request. Returns null if it is unknown or has expired. */
	readRequest(now: number): Promise<(DeviceRequest & { readonly state: DeviceState }) | null>;
	/** Approves a pending request for `holder`, or denies it if `holder` is null. Returns false if it was decided before or has expired. */
	decideRequest(decision: { readonly holder: string | null; readonly now: number }): Promise<boolean>;
	/** Returns the state of the request for a device that asks. Returns `approved` only once. */
	poll(poll: { readonly clientId: string; readonly now: number }): Promise<PollResult>;
}
