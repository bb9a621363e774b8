// Command controlplane is kube-apiserver with its etcd, in one process and one folder: the API, the
// admission, and the RBAC of Kubernetes, without nodes, scheduler, and controllers.
//
//	controlplane FOLDER kube-apiserver flags...
//
// The flags are those of kube-apiserver, with absolute paths; the program adds --etcd-servers. It
// ends when its standard input is closed, so it does not outlive the test that started it.
package main

import (
	"fmt"
	"io"
	"log"
	"net/url"
	"os"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// Sockets in the folder of the program: no other test can use the same port.
const clients, peers = "etcd.sock", "peer.sock"

func main() {
	if len(os.Args) < 2 {
		log.Fatal("controlplane: missing folder for the data of etcd; see main.go")
	}
	// etcd takes a socket as the host of a URL, which cannot contain a slash.
	if err := os.Chdir(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	store, err := startEtcd()
	if err != nil {
		log.Fatalf("etcd: %v", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		store.Close()
		os.Exit(0)
	}()
	command := app.NewAPIServerCommand()
	command.SetArgs(append(os.Args[2:], "--etcd-servers=unix://"+clients))
	if err := command.Execute(); err != nil {
		log.Fatalf("kube-apiserver: %v", err)
	}
}

// startEtcd starts etcd, and returns when it accepts requests.
func startEtcd() (*embed.Etcd, error) {
	configuration := embed.NewConfig()
	configuration.Dir = "etcd"
	configuration.LogLevel = "error"
	configuration.UnsafeNoFsync = true
	client, peer := []url.URL{{Scheme: "unix", Host: clients}}, []url.URL{{Scheme: "unix", Host: peers}}
	configuration.ListenClientUrls, configuration.AdvertiseClientUrls = client, client
	configuration.ListenPeerUrls, configuration.AdvertisePeerUrls = peer, peer
	configuration.InitialCluster = fmt.Sprintf("%s=%s", configuration.Name, peer[0].String())
	store, err := embed.StartEtcd(configuration)
	if err != nil {
		return nil, err
	}
	<-store.Server.ReadyNotify()
	return store, nil
}
