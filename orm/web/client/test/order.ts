import { props } from "../src/index.js";

/** The row that the tests are about. */
export interface Order {
  id: number;
  number: bigint;
  amount: number;
  status: "Open" | "Paid" | "Cancelled";
  note: string | null;
  createdAt: string;
  isUrgent: boolean;
  departmentName: string;
  customer?: { id: number; name: string } | null;
  items?: { id: number; product?: { id: number } | null }[];
}

export const prop = props<Order>();
