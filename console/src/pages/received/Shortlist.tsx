import { useState } from "react";
import { Button } from "../../components/Button.tsx";
import { Checkbox } from "../../components/Checkbox.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { LongTextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { NoteConflict, opinionOf, type Review } from "../../rules/review.ts";
import { useReview } from "./use-review.ts";

interface ShortlistProps {
	readonly taskId: string;
	readonly submissionId: string;
}

/** Shows whether the submission is on the shortlist, and a note about it. Only the poster sees both. */
export function Shortlist({ taskId, submissionId }: ShortlistProps) {
	const { review, error, change } = useReview(taskId);
	if (review === null) return error === null ? null : <ErrorMessage error={error} title="Your notes could not be read." />;
	return (
		<div className="card">
			<Checkbox
				isSelected={opinionOf(review, submissionId).shortlisted}
				onChange={(shortlisted) => change.mutate({ submissionId, shortlisted })}
			>
				On the shortlist
			</Checkbox>
			<details open={opinionOf(review, submissionId).note !== ""}>
				<summary>Note</summary>
				<Note key={submissionId} review={review} taskId={taskId} submissionId={submissionId} />
			</details>
			{change.error !== null && <ErrorMessage error={change.error} title="Your shortlist was not saved." />}
		</div>
	);
}

interface NoteProps extends ShortlistProps {
	readonly review: Review;
}

function Note({ review, taskId, submissionId }: NoteProps) {
	// A change of its own, so that it can be saved while the shortlist is.
	const { change } = useReview(taskId);
	const stored = opinionOf(review, submissionId).note;
	// The text that the reader saw when writing began, so that a note from elsewhere is noticed.
	const [typed, setTyped] = useState<{ readonly text: string; readonly before: string } | null>(null);
	const [theirs, setTheirs] = useState<string | null>(null);
	const text = typed?.text ?? stored;
	const save = () => {
		if (typed === null) return;
		const options = {
			onSuccess: () => {
				setTyped(null);
				setTheirs(null);
				showMessage("Note saved.");
			},
			onError: (error: Error) => {
				if (!(error instanceof NoteConflict)) return;
				setTheirs(error.theirs);
				setTyped({ ...typed, before: error.theirs });
			},
		};
		change.mutate({ submissionId, note: typed.text, before: typed.before }, options);
	};
	return (
		<div className="note">
			<LongTextInput
				label="Note"
				hidesLabel
				hint="Only you see it. It is kept in your workspace, with the shortlist."
				rows={2}
				maxLength={4000}
				value={text}
				onChange={(value) => setTyped({ text: value, before: typed?.before ?? stored })}
			/>
			{theirs !== null && (
				<div className="notice notice-warning" role="alert">
					<p>This note was changed elsewhere since you began. Save again to replace it with yours.</p>
					<p className="quoted">{theirs === "" ? "(The other note is empty.)" : theirs}</p>
				</div>
			)}
			{change.error !== null && !(change.error instanceof NoteConflict) && (
				<ErrorMessage error={change.error} title="The note was not saved." />
			)}
			<div className="actions">
				<Button isDisabled={typed === null || text === stored} isPending={change.isPending} onPress={save}>
					Save the note
				</Button>
			</div>
		</div>
	);
}
