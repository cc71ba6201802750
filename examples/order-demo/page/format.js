// Formats values for people.

const amounts = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const wholes = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const times = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
const days = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

export const amount = (value) => amounts.format(value);
export const whole = (value) => wholes.format(value);
export const compact = (value) => short.format(value);
export const time = (text) => times.format(new Date(text));
export const day = (text) => days.format(new Date(text));

export const STATUSES = ["Pending", "Paid", "Shipped", "Completed", "Cancelled"];

export const ROLES = {
  Admin: "Administrator",
  Sales: "Sales",
  Operations: "Operations",
  AccountManager: "Account manager",
};
