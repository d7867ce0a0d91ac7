import { type Endpoint, handle } from "../../http/endpoint.ts";
import { reportLeakedKeys } from "./contract.ts";
import { revokeLeaked } from "./service.ts";

export const leakedKeyEndpoints: readonly Endpoint[] = [
	handle(reportLeakedKeys, (ctx, { headers, request }) =>
		revokeLeaked(ctx, request, { keyId: headers["github-public-key-identifier"], signature: headers["github-public-key-signature"] }),
	),
];
