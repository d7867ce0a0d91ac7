// Fails the calls of endpoints that read.
import { describe, expect, it } from "vitest";
import { errorCodesOf } from "../../src/http/endpoint.ts";
import { endpoints } from "../support/app.ts";
import { newIsolate } from "../support/deps.ts";
import {
	AFTER,
	BEFORE,
	expectFull,
	expectOverloaded,
	failingOnce,
	openStage,
	type Played,
	playedCalls,
	refuseWrites,
	type Seen,
	seenOf,
	success,
} from "../support/endpoint-faults.ts";
import type { Stage } from "../support/fault-stage.ts";
import { readyRead, setScene } from "../support/read-calls.ts";
import { WRITE_CALLS } from "../support/write-calls.ts";

const stage = openStage();

/** The tests' deployment has no OAuth and no security contact. */
const NOT_CONFIGURED = ["getSecurityContact"];

/** The response has begun when it reads the second task, so a fault ends the body before its last line. */
const BREAKS_OFF = new Set(["exportAgent"]);
/** An operator sees the other tasks when the object of one does not respond. */
const LEAVES_OUT = new Set(["listJobs", "getMetrics"]);
/** An operator who reads what the platform has about agents leaves an entry in the audit log, even if the read fails. */
const AUDITED = new Set(["listReports", "exportAgent", "searchDirectory"]);

function expectReadable(operationId: string, failed: Played, seen: Seen): void {
	if (LEAVES_OUT.has(operationId)) expect(failed.status).toBe(200);
	// An isolate remembers reports, so the fault may not be noticed.
	else if (failed.status < 400) expect(seenOf(failed)).toEqual(seen);
	else if (AUDITED.has(operationId)) {
		expect([{}, seen.changes]).toContainEqual(failed.changes);
		expectOverloaded({ ...failed, changes: {} });
	} else expectOverloaded(failed);
}

describe("reads", async () => {
	const scene = await setScene(stage);
	const reading = endpoints.filter(({ method, operationId }) => method === "get" && WRITE_CALLS[operationId] === undefined);

	it.each(reading.map((contract, index) => ({ ...contract, index })))("$operationId", async ({ index, ...contract }) => {
		const read = async (faults: Parameters<Stage["play"]>[2]) => {
			// The isolate must forget keys and switches, so that their lookups are among the calls.
			return stage.play(contract, await readyRead(scene, contract), { ...faults, replaced: newIsolate(scene.poster.agentId) });
		};
		const clean = await read({});
		const seen = seenOf(clean);
		const changes = AUDITED.has(contract.operationId) ? { audit_log: { rows: 1, sum: expect.any(Number) } } : {};
		expect(seen).toEqual({ ...seen, status: NOT_CONFIGURED.includes(contract.operationId) ? 404 : success, changes });
		expect(seenOf(await read({ failing: failingOnce([...BEFORE, ...AFTER], index) }))).toEqual(seen);
		const full = await read({ failing: refuseWrites });
		if (errorCodesOf(contract).includes("DATABASE_FULL")) expectFull(full);
		else expect(seenOf(full)).toEqual(seen);
		// Its response names the part that fails, which test/extensions/operating/operations.test.ts covers.
		if (contract.operationId === "getReadiness") return;
		for (const call of playedCalls(clean.storageCalls, index)) {
			const failed = await read({ failingStorageCall: call }).catch((error: unknown) => {
				if (BREAKS_OFF.has(contract.operationId) && String(error).includes("queued for too long")) return null;
				throw error;
			});
			if (failed === null) continue;
			expectReadable(contract.operationId, failed, seen);
		}
	});
});
