"""The engines that the service is compared with: how a careful user sets them up, and a process for each."""
