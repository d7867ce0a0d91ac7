// The page that a sign-in service sends the browser back to. It loads the new session, then continues.
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import { useSignIn } from "../../layout/identity.ts";
import { Page } from "../../layout/Page.tsx";
import { leadsOutside } from "../../rules/return-to.ts";

export function SignedInPage() {
	const { return_to: returnTo = "/" } = useSearch({ from: "/signed-in" });
	const navigate = useNavigate();
	const { signInWithSession } = useSignIn();
	const { mutate, data, error } = useMutation({
		mutationFn: signInWithSession,
		onSuccess: (hasSession) => {
			if (!hasSession) return undefined;
			return leadsOutside(returnTo) ? window.location.replace(returnTo) : navigate({ to: returnTo, replace: true });
		},
	});
	useEffect(() => mutate(), [mutate]);
	return (
		<Page title="Signing in" width="narrow">
			{error !== null && <ErrorMessage error={error} title="The session could not be loaded." />}
			{data === false && <p>The sign-in did not create a session.</p>}
			{data === false || error !== null ? <Link to="/sign-in">Sign in again</Link> : <Loading label="Reading your session" />}
		</Page>
	);
}
