// The identity of this tab: it reads the session or checks the key once, and keeps the result in the query cache.
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { forgetAdminToken } from "../api/admin.ts";
import { api, hasStatus, type Schemas } from "../api/client.ts";
import { forgetCredentials, getCredentials, mayHaveSession, setKey, setSession } from "../api/credentials.ts";

export type Identity = Schemas["WhoAmIResult"];

async function readSession(): Promise<boolean> {
	try {
		const session = await api.getSession();
		setSession(session.csrf_token);
		return true;
	} catch (error) {
		if (!hasStatus(error, 401)) throw error;
		forgetCredentials();
		return false;
	}
}

async function readIdentity(): Promise<Identity | null> {
	if (getCredentials().kind === "none" && !(mayHaveSession() && (await readSession()))) return null;
	try {
		return await api.whoAmI();
	} catch (error) {
		if (!hasStatus(error, 401)) throw error;
		forgetCredentials();
		return null;
	}
}

/** The identity of this tab; null before signing in. */
export const identityQuery = queryOptions({ queryKey: ["identity"], queryFn: readIdentity, staleTime: Number.POSITIVE_INFINITY });

export function useIdentity(): Identity | null {
	return useQuery(identityQuery).data ?? null;
}

interface SignIn {
	/** Uses a key from now on, if the platform accepts it. @throws BountyApiError otherwise, and changes nothing. */
	signInWithKey(key: string): Promise<Identity>;
	/** Reads the session that a sign-in service has led to; false without one. */
	signInWithSession(): Promise<boolean>;
	signOut(): Promise<void>;
}

export function useSignIn(): SignIn {
	const queries = useQueryClient();
	return {
		async signInWithKey(key) {
			const identity = await api.whoAmI({ token: key });
			queries.clear();
			setKey(key);
			queries.setQueryData(identityQuery.queryKey, identity);
			return identity;
		},
		async signInWithSession() {
			forgetCredentials();
			const hasSession = await readSession();
			queries.clear();
			return hasSession;
		},
		async signOut() {
			// An expired session is over already.
			if (getCredentials().kind === "session") await api.signOut();
			forgetCredentials();
			forgetAdminToken();
			queries.clear();
			queries.setQueryData(identityQuery.queryKey, null);
		},
	};
}
