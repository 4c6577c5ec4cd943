"""Commands beside the stages: params, plan, review and recover."""
