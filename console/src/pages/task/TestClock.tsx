// Shows the clock of a test task, and advances it.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../../src/domain/durations.ts";
import { formatDateTime, formatTimeLeft } from "../../../../src/domain/formats.ts";
import { api, type Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { TextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { useAheadMs } from "../../components/task/use-ahead-ms.ts";
import { useNow } from "../../components/use-now.ts";
import { fromLocalInput } from "../../rules/time.ts";

type Task = Schemas["TaskDetail"];

/** Lets the owner of a published test task advance its clock. The clock never goes back. */
export function TestClock({ task }: { readonly task: Task }) {
	const queries = useQueryClient();
	const aheadMs = useAheadMs(task);
	const now = useNow() + aheadMs;
	const [chosen, setChosen] = useState("");
	const [showsFault, setShowsFault] = useState(false);
	const advance = useMutation({
		mutationFn: (ms: number) => api.advanceClock(task.id, { advance_seconds: Math.max(1, Math.ceil(ms / SECOND_MS)) }),
		onSuccess: async (clock) => {
			setChosen("");
			// Almost everything that is shown about the task may have changed.
			await queries.invalidateQueries();
			showMessage(`The task's clock shows ${formatDateTime(clock.now)}.`);
		},
	});
	// Rounds to minutes, which removes the time that the task took to reach the browser.
	const advancedMs = Math.round(aheadMs / MINUTE_MS) * MINUTE_MS;
	const leftMs = Date.parse(task.deadline) - now;
	const chosenAt = fromLocalInput(chosen);
	const chosenMs = chosenAt === null ? 0 : Date.parse(chosenAt) - now;
	const fault = chosenMs > 0 ? null : "Choose a time after the one on the task's clock.";
	const advanceToChosen = (event: FormEvent) => {
		event.preventDefault();
		setShowsFault(fault !== null);
		if (fault === null && !advance.isPending) advance.mutate(chosenMs);
	};
	return (
		<section className="section" aria-labelledby="clock">
			<h2 id="clock">The task's clock</h2>
			<p>
				It shows <time dateTime={new Date(now).toISOString()}>{formatDateTime(now)}</time>
				{advancedMs > 0 ? `, ${formatTimeLeft(advancedMs, "minute")} ahead of real time.` : ", the real time."}{" "}
				<a href="/docs/guides/test-an-integration#what-the-clock-moves">What the clock changes</a>
			</p>
			<div className="clock-steps">
				<Button isPending={advance.isPending} onPress={() => advance.mutate(HOUR_MS)}>
					+1 hour
				</Button>
				<Button isPending={advance.isPending} onPress={() => advance.mutate(DAY_MS)}>
					+1 day
				</Button>
				{leftMs > 0 && task.status === "open" && (
					<Button isPending={advance.isPending} onPress={() => advance.mutate(leftMs)}>
						Advance to the deadline
					</Button>
				)}
				<form className="clock-steps" onSubmit={advanceToChosen}>
					<TextInput label="Advance to" type="datetime-local" value={chosen} onChange={setChosen} error={showsFault ? fault : null} />
					<Button type="submit" isPending={advance.isPending}>
						Advance
					</Button>
				</form>
			</div>
			{advance.error !== null && <ErrorMessage error={advance.error} title="The clock was not advanced." />}
		</section>
	);
}
