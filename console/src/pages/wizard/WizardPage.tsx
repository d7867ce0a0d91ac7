import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, useEffect, useRef, useState } from "react";
import { Button } from "../../components/Button.tsx";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { later } from "../../components/later.tsx";
import { useVisibleChoice } from "../../components/use-visible-choice.ts";
import { Page } from "../../layout/Page.tsx";
import { findTaskFaults } from "../../rules/draft.ts";
import { neighbourOf, STEPS, type Step } from "../../rules/steps.ts";
import { DeleteDraft } from "./DeleteDraft.tsx";
import { DryRunStep } from "./DryRunStep.tsx";
import { JudgingStep } from "./JudgingStep.tsx";
import { Publish, PublishStep } from "./PublishStep.tsx";
import { RubricStep } from "./RubricStep.tsx";
import { SoFar } from "./SoFar.tsx";
import { TaskStep } from "./TaskStep.tsx";
import { DraftConflictError, type StepProps, useWizard, type Wizard, type WizardFacts } from "./use-wizard.ts";

const Conflict = lazy(async () => ({ default: (await import("./Conflict.tsx")).Conflict }));

/** Loaded separately, because only visitors need these views. */
const TryHere = lazy(async () => ({ default: (await import("./TryHere.tsx")).TryHere }));
const VisitorPublish = lazy(async () => ({ default: (await import("./VisitorPublish.tsx")).VisitorPublish }));

interface WizardPageProps extends WizardFacts {
	readonly step: Step;
}

/** The wizard for a task: five steps, each saved when the poster leaves it. A visitor's draft stays in the browser. */
export function WizardPage({ step: wanted, ...facts }: WizardPageProps) {
	const { task } = facts;
	const wizard = useWizard(facts);
	const { isVisitor } = wizard;
	const step = task === null && !isVisitor ? "task" : wanted;
	const navigate = useNavigate();
	const [showsFaults, setShowsFaults] = useState(false);
	// A second press during the first save would create another draft.
	const isCreating = useRef(false);
	const go = useMutation({
		mutationFn: async (to: Step) => ({ to, taskId: await wizard.save() }),
		scope: wizard.saving,
		onSettled: () => {
			isCreating.current = false;
		},
		onSuccess: ({ to, taskId }) => navigate({ to: "/tasks/$taskId/edit", params: { taskId }, search: { step: to } }),
	});
	useEffect(() => {
		if (go.error !== null) focusFirstFault();
	}, [go.error]);
	const resolve = (keepsMine: boolean) => {
		wizard.resolve(keepsMine);
		go.reset();
	};
	const leave = (to: Step | null) => {
		const isReady = Object.keys(findTaskFaults(wizard.draft, Date.now())).length === 0;
		setShowsFaults(!isReady);
		if (!isReady) {
			// The fields with errors are in the first step.
			if (task !== null && step !== "task")
				void navigate({ to: "/tasks/$taskId/edit", params: { taskId: task.id }, search: { step: "task" } });
			else if (step !== "task") void navigate({ to: "/tasks/new", search: { step: "task" } });
			focusFirstFault();
		}
		if (to === null || !isReady || isCreating.current) return;
		if (isVisitor) {
			void navigate({ to: "/tasks/new", search: { step: to } });
			return;
		}
		isCreating.current = task === null;
		go.mutate(to);
	};
	useGoOn(task === null && !isVisitor && wizard.isDirty && wanted !== "task" ? () => leave(wanted) : null);
	return (
		<Page
			title={task === null ? "New task" : task.title}
			actions={
				task !== null ? (
					<DeleteDraft taskId={task.id} title={task.title} />
				) : (
					wizard.isDirty && <Discard trigger="Start over…" isNew onDiscard={wizard.discard} />
				)
			}
		>
			<Steps current={step} isOpen={task !== null || isVisitor} onChoose={leave} />
			{wizard.isRestored && <Restored isNew={task === null} onDiscard={wizard.discard} />}
			<div className="wizard-body">
				<StepBody wizard={wizard} step={step} onGo={leave} error={go.error} showsFaults={showsFaults} />
				{(step === "task" || step === "judging") && <SoFar draft={wizard.draft} />}
			</div>
			{go.error instanceof DraftConflictError && later(<Conflict error={go.error} onResolve={resolve} />)}
			{go.error !== null && !(go.error instanceof DraftConflictError) && (
				<ErrorMessage error={go.error} title="The draft was not saved. Your text is kept in this browser." />
			)}
			<Footer step={step} isPending={go.isPending} wizard={wizard} onGo={leave} />
		</Page>
	);
}

function StepBody({ step, onGo, ...props }: StepProps & { readonly step: Step; readonly onGo: (step: Step) => void }) {
	const { task } = props.wizard;
	if (step === "task") return <TaskStep {...props} onGo={onGo} />;
	if (step === "rubric") return <RubricStep {...props} />;
	if (step === "judging") return <JudgingStep {...props} />;
	if (task === null)
		return later(step === "dry-run" ? <TryHere draft={props.wizard.draft} /> : <VisitorPublish draft={props.wizard.draft} onGo={onGo} />);
	return step === "dry-run" ? <DryRunStep task={task} /> : <PublishStep task={task} wizard={props.wizard} onGo={onGo} />;
}

/** Continues automatically, once, with what was written before signing in. */
function useGoOn(goOn: (() => void) | null): void {
	const isDone = useRef(false);
	useEffect(() => {
		if (goOn === null || isDone.current) return;
		isDone.current = true;
		goOn();
	});
}

function Steps({
	current,
	isOpen,
	onChoose,
}: {
	readonly current: Step;
	/** True if any step can be chosen. */
	readonly isOpen: boolean;
	readonly onChoose: (step: Step) => void;
}) {
	const row = useVisibleChoice<HTMLOListElement>(current);
	return (
		<nav aria-label="Steps">
			<ol ref={row} className="steps">
				{STEPS.map(({ id, name }) => (
					<li key={id}>
						<Button
							kind="quiet"
							isDisabled={!isOpen && id !== "task"}
							{...(id === current ? { "aria-current": "step" } : {})}
							onPress={() => onChoose(id)}
						>
							{name}
						</Button>
					</li>
				))}
			</ol>
		</nav>
	);
}

function Restored({ isNew, onDiscard }: { readonly isNew: boolean; readonly onDiscard: () => void }) {
	return (
		<div className="notice">
			<p>This browser has unsaved changes to this task. They are shown here.</p>
			<div className="actions">
				<Discard trigger="Discard them" isNew={isNew} onDiscard={onDiscard} />
			</div>
		</div>
	);
}

interface DiscardProps {
	readonly trigger: string;
	/** True if there is no saved draft to go back to. */
	readonly isNew: boolean;
	readonly onDiscard: () => void;
}

function Discard({ trigger, isNew, onDiscard }: DiscardProps) {
	return (
		<ConfirmDialog
			trigger={trigger}
			title="Discard the changes in this browser?"
			confirm="Discard"
			isDangerous
			onConfirm={async () => onDiscard()}
		>
			<p>
				{isNew
					? "The form will be empty again. What you typed will be lost."
					: "The form goes back to the draft that the platform has saved. Everything you typed since then will be lost."}
			</p>
		</ConfirmDialog>
	);
}

interface FooterProps {
	readonly step: Step;
	readonly isPending: boolean;
	readonly wizard: Wizard;
	readonly onGo: (step: Step | null) => void;
}

function Footer({ step, isPending, wizard: { isDirty, isVisitor, task }, onGo }: FooterProps) {
	const before = neighbourOf(step, -1);
	const after = neighbourOf(step, 1);
	return (
		<div className="actions actions-split wizard-footer">
			<div className="actions">
				{before !== null && <Button onPress={() => onGo(before)}>Back</Button>}
				<span className="soft" role="status">
					{isPending ? "Saving…" : isDirty ? "Kept in this browser" : ""}
				</span>
			</div>
			{after === null && task !== null && <Publish task={task} isReady={task.criteria.length > 0 && !isDirty} />}
			{after !== null && (
				<Button kind="primary" isPending={isPending} onPress={() => onGo(after)}>
					{isVisitor ? "Continue" : "Save and continue"}
				</Button>
			)}
		</div>
	);
}

/** Moves the focus to the first field with an error, or scrolls to the error message, because they may be out of view. */
function focusFirstFault(): void {
	requestAnimationFrame(() => {
		const field = document.querySelector<HTMLElement>("#content [aria-invalid=true]");
		field?.focus({ preventScroll: true });
		const fault = field ?? document.querySelector("#content [role=alert]");
		fault?.scrollIntoView({ block: "center" });
	});
}
