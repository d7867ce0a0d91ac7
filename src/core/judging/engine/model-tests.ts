// Tests for operators: whether a model can judge, and which requests its server accepts.
import type { Deps } from "../../../ports/deps.ts";
import type { PaidCall } from "../../../ports/judge.ts";
import type { CallDeps } from "./calling.ts";
import { type CallingContext, type EngineSettings, openContext } from "./context.ts";
import { formOf } from "./learning.ts";
import { findRoom, probeOnce } from "./probe.ts";
import { FIRST_PROBES, type ProbeAnswers, type ProbeRole, type ProbeTally, type ProbeVerdict, verdictOf } from "./probe-record.ts";
import { PROMPT_VERSION } from "./prompts.ts";
import { createProbeStore } from "./store.ts";
import { WaitError } from "./waits.ts";
import type { WireForm } from "./wire.ts";

const ROLES: readonly ProbeRole[] = ["judge", "confirmer"];

export interface ModelTest {
	readonly model: string;
	readonly roles: readonly {
		readonly role: ProbeRole;
		readonly tallies: readonly ProbeTally[];
		/** The verdict on the model in this role. Null if calls have failed. */
		readonly verdict: ProbeVerdict | null;
	}[];
	/** The form of the last requests. If no call has failed, the server accepts it. */
	readonly form: WireForm;
	/** The number of characters of task and files for which a call has room. Null if calls have failed. */
	readonly room: number | null;
	/** Why calls have failed. Null if none has. */
	readonly fault: { readonly message: string; readonly supplierWords: string | null } | null;
	readonly calls: readonly PaidCall[];
}

/** Probes a model as a judge and as a confirmer, and then sends a call of the maximum size. Calls that fail lead to no verdict. */
export async function testModel(deps: CallDeps, configured: EngineSettings, model: string): Promise<ModelTest> {
	const settings: EngineSettings = { ...configured, models: [model] };
	const calls: PaidCall[] = [];
	let fault: ModelTest["fault"] = null;
	/** Makes attempts until the work is done, as long as each one gets further. Returns null after a fault. */
	const attempt = async <Found>(work: (context: CallingContext) => Promise<Found>, progress = () => 0): Promise<Found | null> => {
		for (let before = 0; fault === null; before = progress()) {
			const context = openContext(deps, settings, { requestId: null, onCall: (call) => calls.push(call) });
			try {
				return await work(context);
			} catch (error) {
				if (!(error instanceof WaitError)) throw error;
				if (error.wait.reason === "continues" && progress() > before) continue;
				fault = { message: error.message, supplierWords: error.wait.supplierWords };
			} finally {
				context.end();
			}
		}
		return null;
	};
	const roles: ModelTest["roles"][number][] = [];
	for (const role of ROLES) {
		const tallies: ProbeTally[] = [];
		for (let probe = 0; probe < FIRST_PROBES; probe += 1) {
			const answers: ProbeAnswers = {};
			const tally = await attempt(
				(context) => probeOnce(context, { model, role }, answers),
				() => Object.keys(answers).length,
			);
			if (tally !== null) tallies.push(tally);
		}
		roles.push({ role, tallies, verdict: verdictOf(role, { tallies }) });
	}
	const room = await attempt((context) => findRoom(context, model));
	return { model, roles, form: formOf(model, settings, deps.clock.now()), room, fault, calls };
}

/** Stores the tallies of a test for each role with a verdict. For evaluations, they count like those of regular probes. */
export async function storeVerdicts({ db, clock }: Pick<Deps, "db" | "clock">, { model, roles }: ModelTest): Promise<void> {
	const store = createProbeStore(db);
	const now = clock.now();
	for (const { role, tallies, verdict } of roles) {
		if (verdict === null) continue;
		await store.add({ model, role, promptVersion: PROMPT_VERSION }, { tallies, begun: {}, now });
	}
}

/** Returns true if the model may both judge and confirm. */
export function isFit({ roles }: Pick<ModelTest, "roles">): boolean {
	return roles.every(({ verdict }) => verdict?.isFit === true);
}
