import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Form } from "react-aria-components";
import { CHAIN_NAMES } from "../../../../src/domain/chains.ts";
import { api, type Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Choice, TextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { type Chain, METHOD_NAMES, walletQuery } from "../../queries/wallet.ts";
import { findInjectedWallet } from "../../rules/eip1193.ts";

type Wallet = Schemas["WalletConfig"];
type Method = Schemas["WalletRequest"]["payout_method"];

const METHODS = [
	{ id: "onchain_usdc", label: METHOD_NAMES.onchain_usdc },
	{ id: "coinbase_commerce", label: METHOD_NAMES.coinbase_commerce },
] as const satisfies readonly { id: Method; label: string }[];
const CHAINS = (["base", "optimism", "arbitrum", "mainnet"] as const satisfies readonly Chain[]).map((id) => ({
	id,
	label: CHAIN_NAMES[id],
}));
const MAX_LENGTH = 200;

/** Sets where payouts go: an address typed by hand, or one from the wallet in the browser. */
export function WalletForm({ wallet }: { readonly wallet: Wallet }) {
	const [method, setMethod] = useState<Method>(wallet.payout_method === "coinbase_commerce" ? "coinbase_commerce" : "onchain_usdc");
	const [address, setAddress] = useState(wallet.payout_address ?? "");
	const [chain, setChain] = useState<Chain>(wallet.payout_chain ?? "base");
	const save = useSaveWallet();
	const isOnChain = method === "onchain_usdc";
	return (
		<Form
			className="form card"
			aria-label="Payouts"
			onSubmit={(event) => {
				event.preventDefault();
				save.mutate({
					payout_method: method,
					payout_address: address.trim() === "" ? null : address.trim(),
					payout_chain: isOnChain ? chain : null,
				});
			}}
		>
			<h2>{wallet.payout_method === null ? "Set where payouts go" : "Change where payouts go"}</h2>
			<Choice label="Payout" value={method} options={METHODS} onChange={setMethod} />
			<TextInput
				label={isOnChain ? "Address" : "Account id"}
				value={address}
				onChange={setAddress}
				isMono
				maxLength={MAX_LENGTH}
				error={save.fault}
				{...(isOnChain ? { hint: "0x, then 40 hex digits. If you change the address, you must prove that the new one is yours." } : {})}
			/>
			{isOnChain && <Choice label="Chain" value={chain} options={CHAINS} onChange={setChain} />}
			{isOnChain && <FromBrowser onAddress={setAddress} />}
			{save.error !== null && <ErrorMessage error={save.error} title="The wallet was not changed." />}
			<div className="actions">
				<Button type="submit" kind="primary" isPending={save.isPending}>
					Save
				</Button>
			</div>
		</Form>
	);
}

function useSaveWallet() {
	const queries = useQueryClient();
	const [fault, setFault] = useState<string | null>(null);
	const save = useMutation({
		mutationFn: async (body: Schemas["WalletRequest"]) => {
			const { findAddressFault } = await import("../../platform/wallet-proof.ts");
			const found = body.payout_method === "onchain_usdc" ? findAddressFault(body.payout_address ?? "") : null;
			setFault(found);
			return found === null ? api.updateWallet(body) : null;
		},
		onSuccess: (wallet) => {
			if (wallet === null) return;
			queries.setQueryData(walletQuery.queryKey, wallet);
			showMessage("Saved.");
		},
	});
	return { ...save, fault };
}

/** Takes the address from the wallet in the browser. Shows nothing if there is no wallet. */
function FromBrowser({ onAddress }: { readonly onAddress: (address: string) => void }) {
	const injected = findInjectedWallet(window);
	const connect = useMutation({
		mutationFn: async () => {
			if (injected === null) throw new Error("This browser has no wallet.");
			const { requestAccount } = await import("../../platform/wallet-proof.ts");
			return requestAccount(injected);
		},
		onSuccess: onAddress,
	});
	if (injected === null) return <p className="soft">This browser has no wallet extension, so enter the address yourself.</p>;
	return (
		<>
			<div className="actions">
				<Button isPending={connect.isPending} onPress={() => connect.mutate()}>
					Use the wallet in this browser
				</Button>
			</div>
			{connect.error !== null && <ErrorMessage error={connect.error} />}
		</>
	);
}
