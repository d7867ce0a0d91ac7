import { isPossibleAccessToken } from "../domain/credentials.ts";

/** Returns the token of the `Authorization` header, or null if there is none. */
export function readBearer(request: Request): string | null {
	return /^Bearer +(\S+) *$/i.exec(request.headers.get("Authorization") ?? "")?.[1] ?? null;
}

/** Returns true if a program presents an access token. It need not be one that was given out. */
export function carriesAccessToken(request: Request): boolean {
	return isPossibleAccessToken(readBearer(request) ?? "");
}
