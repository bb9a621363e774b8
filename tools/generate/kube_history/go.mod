module podgraft.dev/kube_history

go 1.24
