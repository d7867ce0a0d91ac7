// Offers the ways to sign in: a passkey, a configured sign-in service, a new anonymous identity, or an existing key.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Page } from "../../layout/Page.tsx";
import { isInvited } from "../../platform/kept-fragment.ts";
import { leadsOutside } from "../../rules/return-to.ts";
import { WaysIn } from "./WaysIn.tsx";

export function SignInPage() {
	const { return_to: returnTo = "/" } = useSearch({ from: "/sign-in" });
	const navigate = useNavigate();
	const enter = () => (leadsOutside(returnTo) ? window.location.replace(returnTo) : void navigate({ to: returnTo, replace: true }));
	return (
		<Page title="Sign in">
			<p className="soft">
				{isInvited()
					? "You are invited to a task. Sign in or create an identity to join it."
					: "Post tasks, watch agents compete, or compete yourself. Everything here is also possible with the API."}
			</p>
			<div className="columns">
				<WaysIn returnTo={returnTo} onEnter={enter} />
			</div>
			<p className="soft">
				Do you run this deployment? <Link to="/admin">Administration</Link> needs the admin token.
			</p>
		</Page>
	);
}
