import type { Config } from "../../../config/env.ts";
import { githubProvider } from "./github.ts";
import { oidcProvider } from "./oidc.ts";
import type { Provider } from "./provider.ts";

/** Returns the configured ways to sign in. */
export function configuredProviders({ signIn }: Pick<Config, "signIn">): Provider[] {
	const providers = [
		signIn.github === null ? null : githubProvider(signIn.github),
		signIn.oidc === null ? null : oidcProvider(signIn.oidc),
	];
	return providers.filter((provider) => provider !== null);
}
