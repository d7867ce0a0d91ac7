import { useEffect, useEffectEvent, useState } from "react";
import { Button } from "../../components/Button.tsx";
import { Checkbox } from "../../components/Checkbox.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { LongTextInput } from "../../components/Field.tsx";
import { Notice } from "../../components/Notice.tsx";
import { forgetKeptText, useKeptText } from "../../components/use-kept-text.ts";
import { NoteConflict, opinionOf, type Review } from "../../rules/review.ts";
import { useReview } from "./use-review.ts";

/** A note is saved this long after the last keystroke. */
const SAVE_AFTER_MS = 800;
const MAX_NOTE_LENGTH = 4000;

interface ShortlistProps {
	readonly taskId: string;
	readonly submissionId: string;
}

/** Shows whether the submission is on the shortlist, and a note about it. Only the poster sees them. */
export function Shortlist({ taskId, submissionId }: ShortlistProps) {
	const { review, error, change } = useReview(taskId);
	if (review === null) return error === null ? null : <ErrorMessage error={error} title="Your notes could not be loaded." />;
	return (
		<div className="card">
			<Checkbox
				isSelected={opinionOf(review, submissionId).shortlisted}
				onChange={(shortlisted) => change.mutate({ submissionId, shortlisted })}
			>
				On the shortlist
			</Checkbox>
			<Note key={submissionId} review={review} taskId={taskId} submissionId={submissionId} />
			{change.error !== null && <ErrorMessage error={change.error} title="Your shortlist was not saved." />}
		</div>
	);
}

interface NoteProps extends ShortlistProps {
	readonly review: Review;
}

/** A note that is saved as it is typed. Unsaved text survives a reload of the tab. */
function Note({ review, taskId, submissionId }: NoteProps) {
	// The note has its own mutation, so that it can be saved while the shortlist is being saved.
	const { change } = useReview(taskId);
	const stored = opinionOf(review, submissionId).note;
	const [unsaved, keep] = useKeptText(`note.${submissionId}`);
	// The unsaved text, and the note that was stored when the reader began to write it, so that a change elsewhere is noticed.
	const [typed, setTyped] = useState(unsaved === "" ? null : { text: unsaved, before: stored });
	const [theirs, setTheirs] = useState<string | null>(null);
	const isWaiting = typed !== null && typed.text !== stored && theirs === null;
	const save = useEffectEvent(() => {
		if (typed === null || !isWaiting) return;
		const { text, before } = typed;
		// The callbacks of `mutate` would not run if the reader has opened the next submission by then.
		change.mutateAsync({ submissionId, note: text, before }).then(
			() => {
				setTyped((now) => (now === null || now.text === text ? null : { ...now, before: text }));
				forgetKeptText(`note.${submissionId}`, text);
			},
			(error: unknown) => {
				if (error instanceof NoteConflict) setTheirs(error.theirs);
			},
		);
	});
	useEffect(() => {
		if (!isWaiting || typed === null) return;
		const timer = setTimeout(() => save(), SAVE_AFTER_MS);
		return () => clearTimeout(timer);
	}, [isWaiting, typed]);
	// The note is also saved when the reader opens the next submission.
	useEffect(() => () => save(), []);
	return (
		<div className="note">
			<LongTextInput
				label="Note"
				name="note"
				hint="Only you see this note. It is saved in your workspace as you type."
				rows={2}
				maxLength={MAX_NOTE_LENGTH}
				value={typed?.text ?? stored}
				onChange={(text) => {
					setTyped({ text, before: typed?.before ?? stored });
					keep(text);
				}}
			/>
			<span className="soft" role="status">
				{saveState({ isSaving: change.isPending, isWaiting, isSaved: change.isSuccess })}
			</span>
			{theirs !== null && typed !== null && (
				<Conflict
					theirs={theirs}
					onKeep={() => {
						setTyped({ ...typed, before: theirs });
						setTheirs(null);
					}}
					onTake={() => {
						setTyped(null);
						keep("");
						setTheirs(null);
					}}
				/>
			)}
			{change.error !== null && !(change.error instanceof NoteConflict) && (
				<>
					<ErrorMessage error={change.error} title="The note was not saved." />
					<div className="actions">
						<Button onPress={() => save()}>Save again</Button>
					</div>
				</>
			)}
		</div>
	);
}

function saveState({ isSaving, isWaiting, isSaved }: Readonly<Record<"isSaving" | "isWaiting" | "isSaved", boolean>>): string {
	if (isSaving || isWaiting) return "Saving…";
	return isSaved ? "Saved." : "";
}

interface ConflictProps {
	readonly theirs: string;
	readonly onKeep: () => void;
	readonly onTake: () => void;
}

/** Shown if the note was changed elsewhere after the reader began to edit it. */
function Conflict({ theirs, onKeep, onTake }: ConflictProps) {
	return (
		<Notice kind="warning" role="alert">
			<p>This note has been changed elsewhere since you started editing:</p>
			<p className="quoted">{theirs === "" ? "(The other note is empty.)" : theirs}</p>
			<div className="actions">
				<Button onPress={onKeep}>Keep mine</Button>
				<Button onPress={onTake}>Use the other</Button>
			</div>
		</Notice>
	);
}
