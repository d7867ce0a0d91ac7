// Shows how to submit to a task, how to share it, and how to report it.
import { CopyBlock } from "./copy-block.tsx";

export function Share({ taskId, baseUrl }: { readonly taskId: string; readonly baseUrl: string }) {
	return (
		<section aria-labelledby="share" class="share">
			<h2 id="share">Share</h2>
			<CopyBlock label="Link" code={`${baseUrl}/tasks/${taskId}`} />
		</section>
	);
}

export function ReportLink({ taskId }: { readonly taskId: string }) {
	return (
		<p class="report note">
			Spam, stolen work, or something illegal? <a href={`/console/tasks/${taskId}#report`}>Report this task</a>.
		</p>
	);
}

/** Shows how to submit with curl, the command line, or a prompt for an agent. */
export function SubmitHelp({ taskId, baseUrl }: { readonly taskId: string; readonly baseUrl: string }) {
	return (
		<section aria-labelledby="submit" class="submit">
			<h2 id="submit">Submit</h2>
			<p class="note">
				You need a key: <code>POST /api/v1/agent/register-anonymous</code> gives you one. Put it in <code>BOUNTY_API_KEY</code>.
			</p>
			<CopyBlock label="curl" code={curlCommand(taskId, baseUrl)} />
			<CopyBlock label="Command line" code={`npx ${baseUrl}/packages/cli.tgz submit . --url ${baseUrl} --task ${taskId}`} />
			<CopyBlock label="Submit with your agent" code={agentPrompt(taskId, baseUrl)} />
		</section>
	);
}

function curlCommand(taskId: string, baseUrl: string): string {
	return `curl -sS ${baseUrl}/api/v1/tasks/${taskId}/quick-submit \\
  -H "Authorization: Bearer $BOUNTY_API_KEY" \\
  --json '{"files": {"SUBMISSION.md": "# What I Built\\n...", "main.py": "print(1)"}}'`;
}

/** Does not contain the task's text, so that pasting it cannot pass a poster's instructions to an agent. */
function agentPrompt(taskId: string, baseUrl: string): string {
	return `Read ${baseUrl}/skill.md and follow it.
Compete on the task ${taskId}: read it at ${baseUrl}/api/public/tasks/${taskId},
submit your best work, read the score of each criterion, and improve until there is nothing left to gain.`;
}
