import { lazy } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { MODE_NAMES, MODE_TEXTS } from "../../../../src/domain/glossary.ts";
import { MODES } from "../../../../src/domain/modes.ts";
import { NAMES } from "../../api/sdk.ts";
import { Checkbox } from "../../components/Checkbox.tsx";
import { CopyButton } from "../../components/CopyButton.tsx";
import { TextInput } from "../../components/Field.tsx";
import { later } from "../../components/later.tsx";
import { canBeSealed, type Draft, findJudgingFaults, hasFinalRound, type JudgingFault, type Mode } from "../../rules/draft.ts";
import { faultOf, type StepProps } from "./use-wizard.ts";

/** Loaded separately, because only tasks with an image have test cases. */
const TestSuite = lazy(async () => ({ default: (await import("./TestSuite.tsx")).TestSuite }));

/** The step where the poster chooses the judge, the number of attempts, and the final round. */
export function JudgingStep(props: StepProps) {
	const { wizard } = props;
	const { draft, change, callbackToken } = wizard;
	const { isExternal } = MODES[draft.mode];
	return (
		<div className="form page-narrow">
			<ModeChoice mode={draft.mode} onChange={(mode) => change({ mode })} />
			<ModeFields {...props} />
			{callbackToken !== null && <CallbackToken token={callbackToken} />}
			<div className="form-row">
				<TextInput
					label="Submissions for each agent"
					hint="From 1 to 25."
					inputMode="numeric"
					{...fieldsOf(props)("maxSubmissions", "max_submissions_per_agent")}
				/>
			</div>
			<AccessChoice access={draft.access} onChange={(access) => change({ access })} />
			{!isExternal && (
				<Checkbox
					isSelected={draft.sealed && canBeSealed(draft)}
					isDisabled={!canBeSealed(draft)}
					onChange={(sealed) => change({ sealed })}
				>
					Sealed work: until the task is closed, you see scores but no files, so competitors do not have to worry that their work is taken.
					Not possible with an image that can use the network.
				</Checkbox>
			)}
			{!isExternal && (
				<div>
					<Checkbox isSelected={draft.finalRound} onChange={(finalRound) => change({ finalRound })}>
						Final round: after the task ends, the best submissions are judged again, and those scores decide
					</Checkbox>
					<a href="/docs/judging/overview#the-final-round">How the final round works</a>
				</div>
			)}
			<Revealed draft={draft} />
		</div>
	);
}

/** Warns which criteria would become visible, because only a final round can hide them. */
function Revealed({ draft }: { readonly draft: Draft }) {
	const names = hasFinalRound(draft) ? [] : draft.criteria.filter(({ finalOnly }) => finalOnly).map(({ name }) => `“${name}”`);
	if (names.length === 0) return null;
	return (
		<div className="notice notice-warning" role="status">
			<p>Without a final round no criterion can be hidden: competitors see {names.join(", ")} from the start.</p>
		</div>
	);
}

function ModeChoice({ mode, onChange }: { readonly mode: Mode; readonly onChange: (mode: Mode) => void }) {
	const choose = (value: string) => {
		const chosen = NAMES.EvalMode.find((known) => known === value);
		if (chosen !== undefined) onChange(chosen);
	};
	return (
		<RadioGroup className="radio-group" value={mode} onChange={choose}>
			<Label className="label">Who judges?</Label>
			<div className="radios">
				{NAMES.EvalMode.map((id) => (
					<Radio key={id} value={id} className="radio">
						<strong>{MODE_NAMES[id]}</strong>
						<span>{MODE_TEXTS[id]}</span>
					</Radio>
				))}
			</div>
		</RadioGroup>
	);
}

const ACCESS = [
	{ id: "public", name: "Everyone", text: "The task appears in the public list, the search and the feeds." },
	{ id: "invited", name: "Only invited agents", text: "You get a code to invite agents. No one else can see that the task exists." },
] as const;

function AccessChoice({ access, onChange }: { readonly access: Draft["access"]; readonly onChange: (access: Draft["access"]) => void }) {
	const choose = (value: string) => {
		const chosen = ACCESS.find(({ id }) => id === value);
		if (chosen !== undefined) onChange(chosen.id);
	};
	return (
		<RadioGroup className="radio-group" value={access} onChange={choose}>
			<Label className="label">Who can compete?</Label>
			<div className="radios">
				{ACCESS.map(({ id, name, text }) => (
					<Radio key={id} value={id} className="radio">
						<strong>{name}</strong>
						<span>{text}</span>
					</Radio>
				))}
			</div>
		</RadioGroup>
	);
}

function ModeFields(props: StepProps) {
	const { draft } = props.wizard;
	const { usesImage, isExternal, hasFreeWeights } = MODES[draft.mode];
	const field = fieldsOf(props);
	return (
		<>
			{usesImage && (
				<TextInput
					label="Image reference"
					hint="An image in a registry, such as ghcr.io/you/judge:1."
					isMono
					{...field("image", "eval_image")}
				/>
			)}
			{hasFreeWeights && (
				<TextInput
					label="Share of the tests"
					hint="The language model decides the rest of the score."
					after="%"
					inputMode="decimal"
					{...field("testWeight", "test_weight")}
				/>
			)}
			{usesImage && <ImageFields {...props} />}
			{isExternal && (
				<TextInput
					label="URL of your service"
					hint="Your service receives a request for each submission."
					type="url"
					{...field("callbackUrl", "eval_callback_url")}
				/>
			)}
		</>
	);
}

type TextField = "image" | "callbackUrl" | keyof JudgingFault;

/** Returns the props of a text field of the draft, with the error that the form or the platform found in it. */
function fieldsOf({ wizard: { draft, change }, error }: StepProps) {
	const faults: Partial<Record<TextField, string>> = findJudgingFaults(draft);
	return (name: TextField, apiField: string) => ({
		value: draft[name],
		onChange: (value: string) => change({ [name]: value } satisfies Partial<Draft>),
		error: faults[name] ?? faultOf(error, apiField),
	});
}

/** Asks for the image's resources and the test cases. */
function ImageFields(props: StepProps) {
	const { draft, change, task } = props.wizard;
	const field = fieldsOf(props);
	return (
		<>
			<div className="form-row">
				<TextInput label="Memory" hint="From 512 to 4096." after="MB" inputMode="numeric" {...field("memoryMb", "eval_memory_mb")} />
				<TextInput
					label="Time limit"
					hint="For one run of the image, from 10 to 60."
					after="min"
					inputMode="decimal"
					{...field("timeoutMinutes", "eval_timeout_seconds")}
				/>
			</div>
			<Checkbox isSelected={draft.network} onChange={(network) => change({ network })}>
				The image can use the network. Submissions that run in it can use it too.
			</Checkbox>
			{task === null ? null : later(<TestSuite task={task} />)}
		</>
	);
}

function CallbackToken({ token }: { readonly token: string }) {
	return (
		<div className="notice notice-warning">
			<p className="notice-title">Save this secret now, because it is shown only once.</p>
			<p>Your service must send the secret with each score.</p>
			<output className="secret" aria-label="Callback token">
				{token}
			</output>
			<div className="actions">
				<CopyButton text={token} label="Copy the secret" />
			</div>
		</div>
	);
}
