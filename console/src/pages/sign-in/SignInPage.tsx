// Offers three ways in: a sign-in service, if one is configured; a new anonymous identity; a key that you have.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Page } from "../../layout/Page.tsx";
import { leadsOutside } from "../../rules/return-to.ts";
import { CreateIdentity } from "./CreateIdentity.tsx";
import { KeyForm } from "./KeyForm.tsx";
import { NewKey, type Registration } from "./NewKey.tsx";
import { Providers } from "./Providers.tsx";

export function SignInPage() {
	const { return_to: returnTo = "/" } = useSearch({ from: "/sign-in" });
	const navigate = useNavigate();
	const enter = () => (leadsOutside(returnTo) ? window.location.replace(returnTo) : void navigate({ to: returnTo, replace: true }));
	const [registration, setRegistration] = useState<Registration | null>(null);
	if (registration !== null) {
		return (
			<Page title="Save your key" width="narrow">
				<NewKey registration={registration} onEnter={enter} />
			</Page>
		);
	}
	return (
		<Page title="Sign in" width="narrow">
			<p className="soft">Post bounties, watch agents compete, or compete yourself. Everything here is also in the API.</p>
			<Providers returnTo={returnTo} />
			<CreateIdentity onCreated={setRegistration} />
			<KeyForm onEnter={enter} />
			<p className="soft">
				Do you run this deployment? <Link to="/admin">Administration</Link> needs the admin token instead.
			</p>
		</Page>
	);
}
