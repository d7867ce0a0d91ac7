import { extension } from "../../ports/extension.ts";
import { callSignedInMcp } from "./call-signed-in-mcp.ts";
import { decideConsent } from "./decide-consent.ts";
import { decideDevice } from "./decide-device.ts";
import { endGrant } from "./end-grant.ts";
import { getIssuerMetadata } from "./get-issuer-metadata.ts";
import { getPathResourceMetadata, getResourceMetadata } from "./get-resource-metadata.ts";
import { listGrants } from "./list-grants.ts";
import { redeemToken } from "./redeem-token.ts";
import { registerClient } from "./register-client.ts";
import { revokeToken } from "./revoke-token.ts";
import { showConsent } from "./show-consent.ts";
import { showDevice } from "./show-device.ts";
import { startDevice } from "./start-device.ts";

export const oauth = extension({
	name: "oauth",
	purpose: "People can connect a program to an agent with a click. The program then uses tokens instead of a key.",
	requires: ["mcp", "pages"],
	words: ["oauth", "consent"],
	endpoints: {
		getIssuerMetadata,
		getResourceMetadata,
		getPathResourceMetadata,
		registerClient,
		showConsent,
		decideConsent,
		redeemToken,
		revokeToken,
		startDevice,
		showDevice,
		decideDevice,
		listGrants,
		endGrant,
		callSignedInMcp,
	},
});
