// Finds out who is signed in. Reads the session once, and keeps the result in the query cache.
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { forgetAdminToken } from "../api/admin.ts";
import { api, hasStatus, type Schemas } from "../api/client.ts";
import { forgetSession, getSessionFacts, mayHaveSession, rememberSession } from "../api/credentials.ts";

export type Identity = Schemas["CallerIdentity"];

function remember({ agent_id, csrf_token, key_id }: Schemas["Session"], isNew: boolean): void {
	rememberSession({ agentId: agent_id, csrfToken: csrf_token, keyId: key_id }, isNew);
}

/** Reads the session and its owner. Returns null if there is no session. */
async function readIdentity(isNew: boolean): Promise<Identity | null> {
	try {
		const [session, identity] = await Promise.all([api.getSession(), api.whoAmI()]);
		remember(session, isNew);
		return identity;
	} catch (error) {
		if (!hasStatus(error, 401)) throw error;
		forgetSession();
		return null;
	}
}

/** Reads the identity of this browser. Null before signing in. */
export const identityQuery = queryOptions({
	queryKey: ["identity"],
	queryFn: () => (mayHaveSession() ? readIdentity(false) : null),
	staleTime: Number.POSITIVE_INFINITY,
});

export function useIdentity(): Identity | null {
	return useQuery(identityQuery).data ?? null;
}

interface SignIn {
	/** Exchanges a key for a session of this browser. The key is not stored. @throws BountyApiError if the platform rejects the key. */
	signInWithKey(key: string): Promise<void>;
	/** Reads the session that a sign-in service opened. Returns false if there is none. */
	signInWithSession(): Promise<boolean>;
	signOut(): Promise<void>;
	/** Forgets a session that ended with its key. */
	forget(): void;
}

export function useSignIn(): SignIn {
	const queries = useQueryClient();
	const enter = async (): Promise<boolean> => {
		queries.clear();
		const identity = await readIdentity(true);
		queries.setQueryData(identityQuery.queryKey, identity);
		return identity !== null;
	};
	const forget = () => {
		forgetSession();
		forgetAdminToken();
		queries.clear();
		queries.setQueryData(identityQuery.queryKey, null);
	};
	return {
		forget,
		async signInWithKey(key) {
			await api.openSession({ token: key });
			if (await enter()) return;
			throw new Error("This browser did not keep the session cookie. Allow cookies for this site, and open it over https or on localhost.");
		},
		signInWithSession: enter,
		async signOut() {
			try {
				if (getSessionFacts() !== null) await api.signOut();
			} catch (error) {
				// A session that has ended needs no sign-out.
				if (!hasStatus(error, 401)) throw error;
			}
			forget();
		},
	};
}
