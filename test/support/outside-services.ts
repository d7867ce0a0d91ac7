// Provides the services that the platform calls in a test of each endpoint: GitHub and receivers of webhooks.
import type { Deps } from "../../src/ports/deps.ts";
import { testDeps } from "./deps.ts";

const GITHUB = "https://github.test";

/** Returns the responses of services outside the platform, and the configuration that names them. */
export function outsideServices(): Pick<Deps, "config" | "fetch"> {
	const { config } = testDeps();
	const github = { clientId: "id", clientSecret: "secret", url: GITHUB, apiUrl: GITHUB };
	return {
		config: { ...config, signIn: { ...config.signIn, github } },
		fetch: async (url, init) => {
			if (url === `${GITHUB}/login/oauth/access_token`) {
				return Response.json({ access_token: new URLSearchParams(String(init.body)).get("code"), token_type: "bearer" });
			}
			if (url === `${GITHUB}/user`) {
				return Response.json({ id: Number(new Headers(init.headers).get("Authorization")?.split(" ")[1]), login: "octocat" });
			}
			return new Response();
		},
	};
}
