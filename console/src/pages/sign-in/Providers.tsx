import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";

/** Shows a button for each sign-in service of this deployment. */
export function Providers({ returnTo }: { readonly returnTo: string }) {
	const { data, error } = useQuery({ queryKey: ["providers"], queryFn: () => api.listSignInProviders() });
	if (error !== null) return <ErrorMessage error={error} />;
	const services = data?.providers.filter(({ sign_in_url }) => sign_in_url !== undefined) ?? [];
	if (services.length === 0) return null;
	const back = `/console/signed-in?return_to=${encodeURIComponent(returnTo)}`;
	return (
		<section className="card" aria-labelledby="providers">
			<h2 id="providers">With your account</h2>
			<div className="actions">
				{services.map(({ id, name, sign_in_url }) => (
					<a key={id} className="button button-primary" href={`${sign_in_url}?return_to=${encodeURIComponent(back)}`}>
						Continue with {name}
					</a>
				))}
			</div>
		</section>
	);
}
