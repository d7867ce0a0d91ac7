import type { StoredClient } from "../../ports/grants.ts";
import { DEVICE_GRANT_TYPE } from "./rules.ts";

/** The command-line tool does not have to register as a client. */
export const CLI_CLIENT_ID = "bounty-cli";

export const COMMAND_LINE: StoredClient = {
	clientId: CLI_CLIENT_ID,
	clientName: "Bounty command line",
	redirectUris: [],
	grantTypes: [DEVICE_GRANT_TYPE, "refresh_token"],
	responseTypes: [],
	tokenEndpointAuthMethod: "none",
};
