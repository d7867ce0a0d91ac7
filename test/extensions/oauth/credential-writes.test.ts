// A program must not make, end or change what lets others in. The statements of a success of each endpoint say which endpoints do.
import { expect, it } from "vitest";
import type { EndpointContract } from "../../../src/http/endpoint.ts";
import { endpoints } from "../../support/app.ts";
import { createStage } from "../../support/fault-stage.ts";
import { outsideServices } from "../../support/outside-services.ts";
import { WRITE_CALLS } from "../../support/write-calls.ts";

const CREDENTIALS = /(?:insert into|update|delete from) "?(?:api_keys|operator_tokens|passkeys|grants|sessions|access_tokens)"?\b/i;
/** A use is noted in the same tables. */
const USE = /update "?\w+"? set "?last_used_at"? = \?/i;

/** A key, a session or an access token calls these. Access tokens reach no endpoint of another kind. */
const reachable = (endpoints as readonly EndpointContract[]).filter(({ auth, operationId }) => auth === "key" && WRITE_CALLS[operationId]);

it("writes credentials only where a program with an access token is refused", async () => {
	const stage = createStage(outsideServices());
	const writing: string[] = [];
	for (const contract of reachable) {
		const ready = await WRITE_CALLS[contract.operationId]?.(stage);
		if (ready === undefined) continue;
		const { calls, status } = await stage.play(contract, ready);
		expect({ operation: contract.operationId, status }).toEqual({
			operation: contract.operationId,
			status: expect.toSatisfy((code: number) => code < 400),
		});
		const statements = calls.flatMap(({ sql }) => sql.split(";")).filter((sql) => CREDENTIALS.test(sql) && !USE.test(sql));
		if (statements.length > 0) writing.push(contract.operationId);
	}
	// An operation that is new here must be refused to programs.
	expect(writing.toSorted()).toEqual(
		[
			...["createApiKey", "revokeApiKey", "createOperatorToken", "revokeOperatorToken"],
			...["openSession", "addPasskey", "removePasskey", "endGrant"],
		].toSorted(),
	);
	const open = reachable.filter(({ operationId, isForHolders }) => writing.includes(operationId) && isForHolders !== true);
	expect(open.map(({ operationId }) => operationId)).toEqual([]);
}, 120_000);
