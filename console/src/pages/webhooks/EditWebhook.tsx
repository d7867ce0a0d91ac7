import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Form } from "react-aria-components";
import { api } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Choice, TextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { type Webhook, webhooksKey } from "../../queries/webhooks.ts";
import { parseTags } from "../../rules/tags.ts";
import { CHAT_SERVICES, parseList } from "../../rules/webhook-events.ts";
import { EventChoice } from "./EventChoice.tsx";

const FORMATS = [
	{ id: "standard", label: "Signed JSON" },
	{ id: "slack", label: `${CHAT_SERVICES.slack.name} message` },
	{ id: "discord", label: `${CHAT_SERVICES.discord.name} message` },
] as const;

interface EditWebhookProps {
	readonly webhook: Webhook;
	readonly onDone: () => void;
}

/** Changes a webhook. The secret stays the same. */
export function EditWebhook({ webhook, onDone }: EditWebhookProps) {
	const [url, setUrl] = useState(webhook.url);
	const [format, setFormat] = useState(webhook.format);
	const [events, setEvents] = useState<readonly Webhook["events"][number][]>(webhook.events);
	const [taskIds, setTaskIds] = useState((webhook.task_ids ?? []).join(", "));
	const [categories, setCategories] = useState((webhook.categories ?? []).join(", "));
	const queries = useQueryClient();
	const save = useMutation({
		mutationFn: () => {
			const named = parseTags(categories);
			const scope = { task_ids: parseList(taskIds), categories: named.length === 0 ? null : named };
			return api.updateWebhook(webhook.id, { url: url.trim(), format, events: [...events], ...scope });
		},
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: webhooksKey });
			showMessage("The webhook is changed.");
			onDone();
		},
	});
	const isReady = url.trim() !== "" && events.length > 0;
	return (
		<Form
			className="form card"
			aria-label="Change the webhook"
			onSubmit={(event) => {
				event.preventDefault();
				if (isReady) save.mutate();
			}}
		>
			<TextInput label="URL" type="url" value={url} onChange={setUrl} isMono isRequired autoFocus />
			<Choice label="Delivery format" value={format} options={FORMATS} onChange={setFormat} />
			<EventChoice chosen={events} onChange={setEvents} />
			<div className="form-row">
				<TextInput
					label="Only these tasks"
					hint="Comma-separated ids. Empty means all tasks."
					value={taskIds}
					onChange={setTaskIds}
					isMono
				/>
				<TextInput label="Only these categories" hint="Comma-separated. Empty means all." value={categories} onChange={setCategories} />
			</div>
			{save.error !== null && <ErrorMessage error={save.error} title="The webhook was not changed." />}
			<div className="actions">
				<Button type="submit" kind="primary" isDisabled={!isReady} isPending={save.isPending}>
					{save.isPending ? "Saving…" : "Save the changes"}
				</Button>
				<Button onPress={onDone}>Cancel</Button>
			</div>
		</Form>
	);
}
