import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/client.ts";

export const profileQuery = queryOptions({ queryKey: ["profile"], queryFn: () => api.getProfile() });
