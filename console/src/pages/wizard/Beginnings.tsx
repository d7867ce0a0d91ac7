// Ways to start a task without an empty form: a template, or a pasted issue.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { LongTextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { Progress } from "../../components/Progress.tsx";
import { applyIssue, parseIssue } from "../../rules/github-issue.ts";
import { applyTemplate, TEMPLATES, type Template } from "../../rules/templates.ts";
import { ExampleScores } from "./ExampleScores.tsx";
import { judgeExamples } from "./ExamplesHere.tsx";
import { newKey, type Wizard } from "./use-wizard.ts";

export function Beginnings({ wizard }: { readonly wizard: Wizard }) {
	const take = (template: Template) => {
		wizard.change(applyTemplate(wizard.draft, template, newKey));
		showMessage("The form is filled in from the template. The template's two examples are in the step “Dry run”.");
	};
	return (
		<section className="card" aria-labelledby="beginnings">
			<h2 id="beginnings">Start from a template</h2>
			<p className="soft">Each has a rubric with checks. Change anything that does not fit.</p>
			<ul className="beginnings">
				{TEMPLATES.map((template) => (
					<li key={template.id}>
						<Button aria-label={`Use the template ${template.name}`} onPress={() => take(template)}>
							{template.name}
						</Button>
						<span className="soft">{template.text}</span>
						<SeeJudged wizard={wizard} template={template} />
					</li>
				))}
				<li>
					<PasteIssue wizard={wizard} />
					<span className="soft">Title, text and lists become a draft. Nothing is sent to GitHub.</span>
				</li>
			</ul>
		</section>
	);
}

/** Shows how the template's rubric scores a good and a weak example, before anything is chosen or typed. */
function SeeJudged({ wizard, template }: { readonly wizard: Wizard; readonly template: Template }) {
	return (
		<DialogTrigger>
			<Button kind="quiet" aria-label={`See two examples judged by the rubric of the template ${template.name}`}>
				See two examples judged
			</Button>
			<ModalOverlay className="overlay" isDismissable>
				<Modal className="modal">
					<Dialog className="dialog">
						{({ close }) => (
							<>
								<Heading slot="title">{template.name}: two examples judged</Heading>
								<div className="dialog-body">
									<Judged wizard={wizard} template={template} />
								</div>
								<div className="actions actions-end">
									<Button onPress={close}>Close</Button>
								</div>
							</>
						)}
					</Dialog>
				</Modal>
			</ModalOverlay>
		</DialogTrigger>
	);
}

function Judged({ wizard, template }: { readonly wizard: Wizard; readonly template: Template }) {
	const { data, error } = useQuery({
		queryKey: ["examples", template.id],
		queryFn: () => judgeExamples(template, applyTemplate(wizard.draft, template, newKey)),
		staleTime: Number.POSITIVE_INFINITY,
	});
	return (
		<>
			<p>The examples: {template.example}.</p>
			{error !== null && <ErrorMessage error={error} title="The examples were not judged." />}
			{data === undefined && error === null && <Progress label="Judging both examples" value={null} />}
			{data !== undefined && <ExampleScores {...data} judge="given by a simple judge that runs in your browser and only compares words" />}
		</>
	);
}

function PasteIssue({ wizard }: { readonly wizard: Wizard }) {
	const [isOpen, setOpen] = useState(false);
	const [pasted, setPasted] = useState("");
	const issue = parseIssue(pasted);
	const take = () => {
		if (issue === null) return;
		wizard.change(applyIssue(wizard.draft, issue, newKey));
		setOpen(false);
		setPasted("");
		showMessage(
			issue.items.length === 0
				? "The form is filled in from the issue."
				: `The form is filled in from the issue, with ${issue.items.length} criteria.`,
		);
	};
	return (
		<DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
			<Button>GitHub issue…</Button>
			<ModalOverlay className="overlay" isDismissable>
				<Modal className="modal">
					<Dialog className="dialog">
						<Heading slot="title">Paste a GitHub issue</Heading>
						<div className="dialog-body">
							<LongTextInput
								label="Issue"
								hint="Put the title on the first line, then the text. List items become criteria."
								rows={10}
								value={pasted}
								onChange={setPasted}
							/>
							<p className="soft" role="status">
								{issue === null ? "" : `${issue.items.length} ${issue.items.length === 1 ? "criterion" : "criteria"} found.`}
							</p>
						</div>
						<div className="actions actions-end">
							<Button onPress={() => setOpen(false)}>Cancel</Button>
							<Button kind="primary" isDisabled={issue === null} onPress={take}>
								Use it
							</Button>
						</div>
					</Dialog>
				</Modal>
			</ModalOverlay>
		</DialogTrigger>
	);
}
