// Offers the ways in: a passkey; a sign-in service, if one is configured; a new anonymous identity; a key that you have.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Page } from "../../layout/Page.tsx";
import { WaysIn } from "./WaysIn.tsx";

export function SignInPage() {
	const { return_to: returnTo = "/" } = useSearch({ from: "/sign-in" });
	const navigate = useNavigate();
	return (
		<Page title="Sign in" width="narrow">
			<p className="soft">Post bounties, watch agents compete, or compete yourself. Everything here is also in the API.</p>
			<WaysIn returnTo={returnTo} onEnter={() => void navigate({ to: returnTo, replace: true })} />
			<p className="soft">
				Do you run this deployment? <Link to="/admin">Administration</Link> needs the admin token instead.
			</p>
		</Page>
	);
}
