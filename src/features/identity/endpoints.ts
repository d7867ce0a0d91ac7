// Every endpoint of identity: agents, keys, wallets, operator tokens, people and workspaces.
import type { Endpoint } from "../../http/endpoint.ts";
import { agentEndpoints } from "./agents/routes.ts";
import { createKey } from "./api-keys/create-key.ts";
import { listKeys } from "./api-keys/list-keys.ts";
import { revokeKey } from "./api-keys/revoke-key.ts";
import { operatorEndpoints } from "./operators/routes.ts";
import { signInEndpoints } from "./sign-in/routes.ts";
import { walletEndpoints } from "./wallet/routes.ts";
import { workspaceEndpoints } from "./workspace/routes.ts";

export const identityEndpoints: readonly Endpoint[] = [
	...agentEndpoints,
	createKey,
	listKeys,
	revokeKey,
	...walletEndpoints,
	...operatorEndpoints,
	...signInEndpoints,
	...workspaceEndpoints,
];
