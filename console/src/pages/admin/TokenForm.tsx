import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Form } from "react-aria-components";
import { adminApi, setAdminToken } from "../../api/admin.ts";
import { BountyApiError } from "../../api/sdk.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { TextInput } from "../../components/Field.tsx";
import { Notice } from "../../components/Notice.tsx";
import { switchesQuery } from "../../queries/admin.ts";

/** Asks for the admin token, and uses it if the platform accepts it. */
export function TokenForm() {
	const [token, setToken] = useState("");
	const queries = useQueryClient();
	const enter = useMutation({
		mutationFn: (tried: string) => adminApi.getSwitches({ token: tried }),
		onSuccess: (switches, tried) => {
			queries.setQueryData(switchesQuery.queryKey, switches);
			setAdminToken(tried);
		},
	});
	return (
		<section className="card" aria-labelledby="token">
			<h2 id="token">With the admin token</h2>
			<Form
				className="form"
				onSubmit={(event) => {
					event.preventDefault();
					if (token.trim() !== "") enter.mutate(token.trim());
				}}
			>
				<p className="soft">
					Only people who run this deployment have its admin token. It begins with <code>svc_admin_</code>.
				</p>
				<TextInput
					label="Admin token"
					hint="The token is forgotten when you close this tab or choose “Forget the token”."
					type="password"
					value={token}
					onChange={setToken}
					isMono
					maxLength={200}
				/>
				{enter.error !== null && <AccessError error={enter.error} />}
				<div className="actions">
					<Button type="submit" kind="primary" isPending={enter.isPending} isDisabled={token.trim() === ""}>
						Use this token
					</Button>
				</div>
			</Form>
		</section>
	);
}

/** Explains why the endpoints for operators do not work in this tab, and how ADMIN_TOKEN_SHA256 changes that. */
export function AccessError({ error }: { readonly error: Error }) {
	const status = error instanceof BountyApiError ? error.status : 0;
	// The API's own messages for these two errors are written for programs.
	if (status !== 401 && status !== 404) return <ErrorMessage error={error} />;
	return (
		<Notice
			kind="error"
			role="alert"
			title={status === 401 ? "The platform did not accept this token." : "This deployment has no admin token."}
		>
			{status === 401 ? (
				<RejectedToken />
			) : (
				<p>
					Create one, and set its hex SHA-256 as the secret <code>ADMIN_TOKEN_SHA256</code>. <HowTo />
				</p>
			)}
		</Notice>
	);
}

export function RejectedToken() {
	return (
		<p>
			The secret <code>ADMIN_TOKEN_SHA256</code> must be the hex SHA-256 of the whole token, without a line break at its end. <HowTo />
		</p>
	);
}

function HowTo() {
	return <a href="/docs/operating/administration#create-a-token">How to create a token</a>;
}
