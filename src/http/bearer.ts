import { isPossibleAccessToken } from "../domain/credentials.ts";

/** Returns the bearer token in the `Authorization` header, or null if there is none. */
export function readBearer(request: Request): string | null {
	return /^Bearer +(\S+) *$/i.exec(request.headers.get("Authorization") ?? "")?.[1] ?? null;
}

/** Returns true if a program presents an access token, valid or not. */
export function carriesAccessToken(request: Request): boolean {
	return isPossibleAccessToken(readBearer(request) ?? "");
}
