"""The layers composed: record, check, guard, baseline update."""
