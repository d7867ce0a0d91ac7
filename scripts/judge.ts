// Judges a folder or zip against a rubric, as the platform would: npm run judge -- <folder or zip> --rubric rubric.json
import { parseArgs } from "node:util";
import { judgeSettings } from "../src/config/judge-settings.ts";
import { listFaults, readVariables } from "../src/config/setting.ts";
import { createJudge } from "../src/core/judging/engine/choose.ts";
import { isFit, type ModelTest, testModel } from "../src/core/judging/engine/model-tests.ts";
import { scoreJudgement } from "../src/core/judging/modes/judged-work.ts";
import { createUsageMeter } from "../src/core/judging/usage-meter.ts";
import { SAMPLE_COUNTS } from "../src/domain/checks.ts";
import { systemClock } from "../src/platform/clock.ts";
import type { CheckJudgement, EvaluationRequest, Judge, PaidCall } from "../src/ports/judge.ts";
import { readLabelledWorks, SHIPPED_WORKS } from "./judge/labelled-works.ts";
import { readMaterial } from "./judge/material.ts";
import { measuredJudges, measuredOffline } from "./judge/measured-judges.ts";
import { formatMeasurements } from "./judge/measurement-report.ts";
import { type MeasuredJudge, type Measurement, measureJudge } from "./judge/measuring.ts";
import { formatProbes } from "./judge/probe.ts";
import { formatReport } from "./judge/report.ts";
import { readRubric } from "./judge/rubric.ts";
import { decideFitness } from "./judge/verdict.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { PROJECT_ROOT } from "./support/wrangler.ts";

const USAGE = `Usage: npm run judge -- <folder or zip> --rubric <file> [--samples <n>] [--json]
       npm run judge -- --calibrate [<folder>] [--samples <n>] [--json]
       npm run judge -- --probe [--json]

  --rubric        JSON with "criteria" (name, description, weight, checks), and, like the body that creates a task,
                  optionally title, description, input_spec and output_spec
  --samples       judge each criterion this often, 1 to 15 times; from 3 on, the result has the spread of scores
  --calibrate     judge works with people's answers to each check, with one model at a time, with and without confirmation and with
                  1, 2 and all checks per call, and say whether the model is fit to judge. The works are the 60 of the project, or those
                  of a folder, which has a folder for each task with rubric.json, and in it a folder for each work with work/ and
                  answers.json. Each criterion gets 2 samples, or as many as --samples says
  --probe         ask each model about six pairs of small test submissions, and print whether it can judge, and what its server accepts
  --json          print the result as JSON

The judge comes from the variables JUDGE, JUDGE_MODELS, JUDGE_API_KEY and so on, of the environment or of .dev.vars.
docs/pages/operating/configuration.mdx explains each.`;

const MAX_SAMPLES = 15;
/** The default number of samples, because one sample does not show the noise of a model. */
const CALIBRATION_SAMPLES = 2;

await runCommand(async () => {
	const options = {
		rubric: { type: "string" },
		samples: { type: "string" },
		calibrate: { type: "boolean", default: false },
		probe: { type: "boolean", default: false },
		json: { type: "boolean", default: false },
		help: { type: "boolean", default: false },
	} as const;
	const { values, positionals } = parseArgs({ options, allowPositionals: true });
	const [path] = positionals;
	if (values.help) return console.log(USAGE);
	const samples = readSamples(values.samples);
	if (values.calibrate) return calibrateAll(path, { samples: samples ?? CALIBRATION_SAMPLES, json: values.json });
	if (values.probe) return probeAll(values.json);
	if (path === undefined || positionals.length > 1 || values.rubric === undefined) throw new CommandError(USAGE);
	const judge = configuredJudge();
	const { task, criteria } = await readRubric(values.rubric);
	const request = { task, criteria, ...(await readMaterial(path)), samples: samples ?? SAMPLE_COUNTS.usual };
	const meter = createUsageMeter();
	const judgement = await judgeUntilDone(judge, request, meter.add);
	const result = scoreJudgement(judge, judgement, { request, criteria, used: meter.byModel() });
	console.log(values.json ? JSON.stringify(result, null, 2) : formatReport(result, task.title));
});

/** Measures the configured models one by one, so that an operator can choose by the figures. */
async function calibrateAll(
	folder: string | undefined,
	{ samples, json }: { readonly samples: number; readonly json: boolean },
): Promise<void> {
	const cases = await readLabelledWorks(folder ?? SHIPPED_WORKS);
	const options = {
		samples,
		now: () => systemClock.now(),
		sleep: (milliseconds: number) => new Promise<void>((resolve) => void setTimeout(resolve, milliseconds)),
		report: (line: string) => console.error(line),
	};
	const measurements: Measurement[] = [];
	for (const judge of judgesToMeasure()) measurements.push(await measureJudge(judge, cases, options));
	const verdicts = [...Map.groupBy(measurements, ({ model }) => model).values()].map(decideFitness);
	console.log(json ? JSON.stringify({ measurements, verdicts }, null, 2) : formatMeasurements(measurements, verdicts));
	if (verdicts.some(({ fitness }) => fitness === "not fit")) process.exitCode = 1;
}

/** Probes the configured models. Exits with 1 if one cannot judge. */
async function probeAll(json: boolean): Promise<void> {
	const settings = readSettings();
	if (settings?.kind !== "openai") throw new CommandError("Only models are probed. Set JUDGE=openai and JUDGE_MODELS.");
	const reports: ModelTest[] = [];
	for (const model of settings.models) reports.push(await testModel({ clock: systemClock, fetch }, settings, model));
	console.log(json ? JSON.stringify(reports, null, 2) : formatProbes(reports));
	if (!reports.every(isFit)) process.exitCode = 1;
}

/** Parses the number of samples. Returns null if none is given. @throws CommandError if the text is not such a number. */
function readSamples(text: string | undefined): number | null {
	if (text === undefined) return null;
	const samples = Number(text);
	if (!Number.isInteger(samples) || samples < 1 || samples > MAX_SAMPLES)
		throw new CommandError(`--samples takes a whole number from 1 to ${MAX_SAMPLES}.`);
	return samples;
}

/**
 * Judges in as many attempts as necessary.
 *
 * @throws CommandError that says what the platform would wait for.
 */
async function judgeUntilDone(judge: Judge, request: EvaluationRequest, onCall: (call: PaidCall) => void): Promise<CheckJudgement> {
	for (let kept: unknown; ; ) {
		const outcome = await judge.evaluate(request, { requestId: null, onCall, kept, keep: () => {} });
		if (outcome.kind === "finished") return outcome.judgement;
		const { reason, message, supplierWords } = outcome.wait;
		if (reason !== "continues") throw new CommandError([message, supplierWords ?? ""].join(" ").trim());
		kept = outcome.kept;
	}
}

/** Returns the judge that the environment describes. The defaults come from .dev.vars. */
function configuredJudge(): Judge {
	return judgeOf(readSettings());
}

function judgesToMeasure(): MeasuredJudge[] {
	const settings = readSettings();
	if (settings === null) throw new CommandError(`No judge is configured.\n\n${USAGE}`);
	return settings.kind === "offline" ? [measuredOffline] : measuredJudges({ clock: systemClock, fetch }, settings);
}

type Settings = ReturnType<typeof judgeSettings.parse>;

function readSettings(): Settings {
	try {
		process.loadEnvFile(`${PROJECT_ROOT}.dev.vars`);
	} catch {
		// A checkout without the file uses only the environment.
	}
	const parsed = judgeSettings.safeParse(readVariables(judgeSettings, process.env));
	if (!parsed.success) {
		const faults = listFaults(judgeSettings, parsed.error).map(({ variable, message }) => `${variable} ${message}`);
		throw new CommandError(faults.join("\n"));
	}
	return parsed.data;
}

function judgeOf(settings: Settings): Judge {
	const judge = createJudge({ clock: systemClock, fetch }, { judge: settings }, null);
	if (judge === null) throw new CommandError(`No judge is configured.\n\n${USAGE}`);
	return judge;
}
